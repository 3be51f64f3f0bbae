#include "base/inflate.h"

#include <catch2/catch.hpp>
#include <string>

#include "support/png_maker.h"

namespace shardine::inflate_test {
namespace {

std::string Text(std::size_t size) {
  std::string text;
  for (std::size_t i = 0; text.size() < size; ++i) text += std::to_string(i);
  text.resize(size);
  return text;
}

struct Whole {
  std::string output;
  bool done = false;
  Status status;
};

// Inflates with pieces of input and output of these sizes.
Whole InflateAll(std::string_view stream, std::size_t in, std::size_t out) {
  Inflater inflater;
  Whole whole;
  std::string room(out, '\0');
  std::string_view rest = stream;
  for (;;) {
    const auto piece = rest.substr(0, in);
    auto step = inflater.Inflate(
        AsBytes(piece),
        std::as_writable_bytes(std::span(room.data(), room.size())));
    if (!step.ok()) {
      whole.status = step.status();
      return whole;
    }
    whole.output.append(room, 0, step->produced);
    rest.remove_prefix(step->consumed);
    whole.done = step->done;
    const bool stuck = step->consumed == 0 && step->produced == 0;
    if (step->done || stuck) return whole;
  }
}

TEST_CASE("Crc32 gives the published check value", "[inflate]") {
  CHECK(Crc32(AsBytes("123456789")) == 0xcbf43926);
  CHECK(Crc32({}) == 0);
}

TEST_CASE("Crc32 of two pieces is that of the whole", "[inflate]") {
  const std::uint32_t first = Crc32(AsBytes("1234"));
  CHECK(Crc32(AsBytes("56789"), first) == 0xcbf43926);
}

TEST_CASE("Inflater gives the same bytes for every size of piece",
          "[inflate]") {
  const std::string text = Text(3000);
  const std::string stream = ZlibStored(text);
  for (const std::size_t in : {1u, 7u, 100000u}) {
    for (const std::size_t out : {1u, 3u, 3000u, 4096u}) {
      CAPTURE(in, out);
      const Whole whole = InflateAll(stream, in, out);
      REQUIRE(whole.status.ok());
      CHECK(whole.done);
      CHECK(whole.output == text);
    }
  }
}

TEST_CASE("Inflater leaves the bytes after the stream alone", "[inflate]") {
  const std::string stream = ZlibStored("abc");
  Inflater inflater;
  std::byte room[64];
  auto step = inflater.Inflate(AsBytes(stream + "tail"), room);
  REQUIRE(step.ok());
  CHECK(step->done);
  CHECK(step->produced == 3);
  CHECK(step->consumed == stream.size());
  auto again = inflater.Inflate(AsBytes("tail"), room);
  REQUIRE(again.ok());
  CHECK(again->done);
  CHECK(again->consumed == 0);
}

TEST_CASE("Inflater is not done with a stream that was cut at any length",
          "[inflate][corruption]") {
  const std::string text = Text(100);
  const std::string stream = ZlibStored(text);
  for (std::size_t size = 0; size < stream.size(); ++size) {
    CAPTURE(size);
    const Whole whole = InflateAll(stream.substr(0, size), 1000, 1000);
    CHECK(whole.status.ok());
    CHECK_FALSE(whole.done);
    CHECK(text.starts_with(whole.output));
  }
}

TEST_CASE("Inflater finds every flipped bit of a stored stream",
          "[inflate][corruption]") {
  const std::string text = Text(40);
  const std::string stream = ZlibStored(text);
  for (std::size_t bit = 0; bit < stream.size() * 8; ++bit) {
    std::string damaged = stream;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ 1 << bit % 8);
    CAPTURE(bit);
    const Whole whole = InflateAll(damaged, 1000, 1000);
    // The unused bits of a stored block's header and the level and window
    // bits of a consistent zlib header say nothing about the data.
    const bool harmless = whole.done && whole.output == text;
    const bool found = !whole.status.ok() || !whole.done;
    CHECK((found || (harmless && bit / 8 == 2)));
    if (!whole.status.ok()) CHECK(whole.status.code() == Code::kCorrupt);
  }
}

}  // namespace
}  // namespace shardine::inflate_test
