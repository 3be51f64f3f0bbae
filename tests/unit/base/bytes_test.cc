#include "base/bytes.h"

#include <catch2/catch.hpp>
#include <cstring>
#include <string>

namespace shardine::bytes_test {
namespace {

TEST_CASE("AsBytes and AsText view the same memory", "[bytes]") {
  const std::string text("a\0\xFF", 3);
  const ByteView bytes = AsBytes(text);
  CHECK(bytes.size() == 3);
  CHECK(bytes[2] == std::byte{0xFF});
  CHECK(AsText(bytes) == text);
  CHECK(AsText(bytes).data() == text.data());
  CHECK(AsText(ByteView()).empty());
}

TEST_CASE("Integers are little-endian and need no alignment", "[bytes]") {
  std::byte raw[16] = {};
  StoreLe(std::uint32_t{0x01020304}, raw + 1);
  CHECK(raw[0] == std::byte{0});
  CHECK(raw[1] == std::byte{4});
  CHECK(raw[4] == std::byte{1});
  CHECK(LoadLe<std::uint32_t>(raw + 1) == 0x01020304);
  CHECK(LoadLe<std::uint16_t>(raw + 1) == 0x0304);
  StoreLe(std::int64_t{-2}, raw + 3);
  CHECK(LoadLe<std::int64_t>(raw + 3) == -2);
  StoreLe(1.5, raw + 5);
  CHECK(LoadLe<double>(raw + 5) == 1.5);
}

TEST_CASE("AppendLe adds the bytes of a number to a string", "[bytes]") {
  std::string text = "x";
  AppendLe(std::uint16_t{0x4241}, text);
  AppendLe(std::uint8_t{0}, text);
  AppendLe(1.0f, text);
  CHECK(text == std::string("xAB\0\0\0\x80\x3F", 8));
}

TEST_CASE("ByteBuffer reserves just what is asked for", "[bytes]") {
  ByteBuffer buffer;
  buffer.Append(AsBytes("hello"));
  buffer.Reserve(12'345);
  CHECK(buffer.capacity() == 12'345);
  CHECK(AsText(buffer.view()) == "hello");
  buffer.Reserve(10);
  CHECK(buffer.capacity() == 12'345);
}

TEST_CASE("ByteBuffer keeps its contents while it grows and shrinks",
          "[bytes]") {
  ByteBuffer buffer;
  CHECK(buffer.size() == 0);
  CHECK(buffer.view().empty());
  buffer.Append(AsBytes("hello"));
  buffer.Append({});
  const std::size_t capacity = buffer.capacity();
  CHECK(capacity >= 5);
  buffer.Resize(100'000);
  CHECK(buffer.size() == 100'000);
  CHECK(AsText(buffer.view().first(5)) == "hello");
  buffer.Resize(4);
  CHECK(AsText(buffer.view()) == "hell");
  CHECK(buffer.capacity() >= 100'000);
  const std::byte* data = buffer.data();
  buffer.Append(AsBytes("!"));
  CHECK(AsText(buffer.view()) == "hell!");
  CHECK(buffer.data() == data);
  buffer.span()[0] = std::byte{'j'};
  CHECK(AsText(buffer.view()) == "jell!");
}

TEST_CASE("ByteBuffer grows by a share of its size, so appends are cheap",
          "[bytes]") {
  ByteBuffer buffer;
  int moves = 0;
  const std::byte* data = nullptr;
  for (int i = 0; i < 100'000; ++i) {
    buffer.Append(AsBytes("x"));
    if (buffer.data() != data) ++moves;
    data = buffer.data();
  }
  CHECK(buffer.size() == 100'000);
  CHECK(moves < 60);
}

TEST_CASE("ByteBuffer moves its memory", "[bytes]") {
  ByteBuffer from;
  from.Append(AsBytes("abc"));
  const std::byte* data = from.data();
  const ByteBuffer to = std::move(from);
  CHECK(to.data() == data);
  CHECK(AsText(to.view()) == "abc");
}

TEST_CASE("A ByteBuffer moved from is empty and can be used again", "[bytes]") {
  ByteBuffer from;
  from.Append(AsBytes("abc"));
  ByteBuffer to = std::move(from);
  CHECK(from.size() == 0);  // NOLINT: the test's subject
  CHECK(from.capacity() == 0);
  from.Append(AsBytes("de"));
  CHECK(AsText(from.view()) == "de");
  to = std::move(from);
  CHECK(AsText(to.view()) == "de");
}

TEST_CASE("ByteCursor reads forward and knows what remains", "[bytes]") {
  const std::string text("\x01\x02\x03\x04rest", 8);
  ByteCursor cursor(AsBytes(text));
  std::uint16_t number = 0;
  CHECK(cursor.Read(number));
  CHECK(number == 0x0201);
  CHECK(cursor.Skip(2));
  CHECK(cursor.position() == 4);
  CHECK(cursor.remaining() == 4);
  ByteView rest;
  CHECK(cursor.ReadBytes(4, rest));
  CHECK(AsText(rest) == "rest");
  CHECK(cursor.done());
  CHECK(cursor.ReadBytes(0, rest));
  CHECK(rest.empty());
}

TEST_CASE("ByteCursor refuses to pass the end and stays where it was",
          "[bytes]") {
  ByteCursor cursor(AsBytes("abc"));
  REQUIRE(cursor.Skip(1));
  std::uint32_t number = 77;
  ByteView bytes = AsBytes("before");
  CHECK_FALSE(cursor.Read(number));
  CHECK(number == 77);
  for (const std::uint64_t count :
       {std::uint64_t{3}, std::uint64_t{1} << 32, ~std::uint64_t{0}}) {
    CHECK_FALSE(cursor.ReadBytes(count, bytes));
    CHECK_FALSE(cursor.Skip(count));
  }
  CHECK(AsText(bytes) == "before");
  CHECK(cursor.position() == 1);
  CHECK(cursor.Skip(2));
  CHECK(cursor.done());
  std::uint8_t byte = 0;
  CHECK_FALSE(cursor.Read(byte));
}

}  // namespace
}  // namespace shardine::bytes_test
