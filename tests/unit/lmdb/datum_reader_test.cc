#include "lmdb/datum_reader.h"

#include <catch2/catch.hpp>
#include <cstring>
#include <string>

namespace shardine::datum_reader_test {
namespace {

void PutVarint(std::uint64_t value, std::string& to) {
  for (; value >= 0x80; value >>= 7) {
    to += static_cast<char>(value | 0x80);
  }
  to += static_cast<char>(value);
}

std::string Number(std::uint32_t field, std::uint64_t value) {
  std::string text;
  PutVarint(std::uint64_t{field} << 3, text);
  PutVarint(value, text);
  return text;
}

std::string Bytes(std::uint32_t field, const std::string& bytes) {
  std::string text;
  PutVarint(std::uint64_t{field} << 3 | 2, text);
  PutVarint(bytes.size(), text);
  return text + bytes;
}

std::string Float(std::uint32_t field, float value) {
  std::string text;
  PutVarint(std::uint64_t{field} << 3 | 5, text);
  return text.append(reinterpret_cast<const char*>(&value), sizeof(value));
}

std::string Packed(std::initializer_list<float> values) {
  std::string bytes;
  for (const float value : values) {
    bytes.append(reinterpret_cast<const char*>(&value), sizeof(value));
  }
  return bytes;
}

std::vector<float> Floats(const DatumView& datum) {
  std::vector<float> values(datum.floats.size() / sizeof(float));
  if (!values.empty()) {
    std::memcpy(values.data(), datum.floats.data(), datum.floats.size());
  }
  return values;
}

const std::string kPicture = Number(1, 3) + Number(2, 32) + Number(3, 40) +
                             Bytes(4, "pixels") + Number(5, 7) + Number(7, 1);

TEST_CASE("ReadDatum tells what a Datum holds and where its data lies",
          "[lmdb][datum]") {
  DatumView datum;
  REQUIRE(ReadDatum(AsBytes(kPicture), datum).ok());
  CHECK(datum.channels == 3);
  CHECK(datum.height == 32);
  CHECK(datum.width == 40);
  CHECK(datum.label == 7);
  CHECK(datum.encoded);
  CHECK_FALSE(datum.has_unknown);
  REQUIRE(datum.data_at);
  CHECK(AsText(datum.data) == "pixels");
  CHECK(kPicture.substr(*datum.data_at, 6) == "pixels");
}

TEST_CASE("A Datum says nothing of the one that was read before it",
          "[lmdb][datum]") {
  DatumView datum;
  REQUIRE(ReadDatum(AsBytes(kPicture + Float(6, 1.5F)), datum).ok());
  REQUIRE(ReadDatum({}, datum).ok());
  CHECK(datum.channels == 0);
  CHECK_FALSE(datum.label);
  CHECK_FALSE(datum.data_at);
  CHECK(datum.data.empty());
  CHECK_FALSE(datum.encoded);
  CHECK(datum.floats.size() == 0);
}

TEST_CASE("The last of a field that occurs twice counts, as in protobuf",
          "[lmdb][datum]") {
  DatumView datum;
  const std::string twice =
      Number(5, 1) + Bytes(4, "first") + Number(5, 2) + Bytes(4, "second");
  REQUIRE(ReadDatum(AsBytes(twice), datum).ok());
  CHECK(datum.label == 2);
  CHECK(AsText(datum.data) == "second");
  CHECK(twice.substr(*datum.data_at) == "second");
}

TEST_CASE("A negative label takes ten bytes and comes back", "[lmdb][datum]") {
  DatumView datum;
  const auto minus = static_cast<std::uint64_t>(std::int64_t{-3});
  REQUIRE(Number(5, minus).size() == 11);
  REQUIRE(ReadDatum(AsBytes(Number(5, minus)), datum).ok());
  CHECK(datum.label == -3);
}

TEST_CASE("Floats come packed, one by one, or both, in their order",
          "[lmdb][datum]") {
  DatumView datum;
  const std::string packed = Bytes(6, Packed({1, 2.5, -3}));
  REQUIRE(ReadDatum(AsBytes(packed), datum).ok());
  CHECK(Floats(datum) == std::vector<float>{1, 2.5, -3});
  // The floats lie in one piece, so that they have a place.
  REQUIRE(datum.floats_at);
  CHECK(packed.substr(*datum.floats_at) == Packed({1, 2.5, -3}));

  REQUIRE(ReadDatum(AsBytes(Float(6, 4) + Float(6, 5)), datum).ok());
  CHECK(Floats(datum) == std::vector<float>{4, 5});
  CHECK_FALSE(datum.floats_at);

  REQUIRE(ReadDatum(AsBytes(packed + Float(6, 9)), datum).ok());
  CHECK(Floats(datum) == std::vector<float>{1, 2.5, -3, 9});
  CHECK_FALSE(datum.floats_at);
  REQUIRE(ReadDatum(AsBytes(Float(6, 9) + packed), datum).ok());
  CHECK(Floats(datum) == std::vector<float>{9, 1, 2.5, -3});
  CHECK_FALSE(datum.floats_at);
}

TEST_CASE("Fields that no Datum has are noted and passed over",
          "[lmdb][datum]") {
  std::string fixed64;
  PutVarint(9 << 3 | 1, fixed64);
  fixed64 += std::string(8, 'x');
  for (const std::string& other :
       {Number(8, 5), Bytes(100, "text"), Float(9, 1), fixed64}) {
    DatumView datum;
    const std::string message = other + kPicture;
    REQUIRE(ReadDatum(AsBytes(message), datum).ok());
    CHECK(datum.has_unknown);
    CHECK(datum.label == 7);
    CHECK(AsText(datum.data) == "pixels");
  }
}

TEST_CASE("A known field in another form is refused at its byte",
          "[lmdb][datum]") {
  const std::string bad[] = {Bytes(1, "x"), Bytes(5, ""), Number(4, 1),
                             Float(4, 1),   Number(6, 1), Bytes(6, "12345"),
                             Float(7, 1),   Bytes(7, "x")};
  for (const std::string& field : bad) {
    DatumView datum;
    const Status status =
        ReadDatum(AsBytes(Number(1, 3) + field + kPicture), datum);
    CHECK(status.code() == Code::kCorrupt);
    CHECK(status.where().offset == 2);
  }
}

TEST_CASE("What is no message of protocol buffers is refused",
          "[lmdb][datum]") {
  using namespace std::string_literals;
  const std::string bad[] = {
      "\x00\x01"s,      // field 0
      "\x07\x01"s,      // field 0 of a type that is none
      "\x0b"s,          // a group
      "\x0e"s,          // type 6
      "\x08"s,          // a number that is not there
      "\x08\xff\xff"s,  // one that does not end
      "\x08" + std::string(10, '\xff') + "\x01",  // more than 64 bits
      "\x22\x05"
      "abc"s,  // fewer bytes than it says
      "\x22\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"s,  // 2^64 - 1 bytes
      "\x35\x01\x02\x03"s,               // three bytes of a float
      "\x88\x80\x80\x80\x80\x01\x00"s};  // a field number beyond 2^29
  for (const std::string& message : bad) {
    DatumView datum;
    const Status status = ReadDatum(AsBytes(message), datum);
    CHECK(status.code() == Code::kCorrupt);
    CHECK(status.where().offset == 0);
  }
}

TEST_CASE("Every cut of a Datum is a Datum of its first fields, or refused",
          "[lmdb][datum][corruption]") {
  for (std::size_t size = 0; size < kPicture.size(); ++size) {
    DatumView datum;
    const std::string cut = kPicture.substr(0, size);
    const Status status = ReadDatum(AsBytes(cut), datum);
    const bool between = size == 0 || size == 2 || size == 4 || size == 6 ||
                         size == 14 || size == 16;
    CHECK(status.ok() == between);
  }
}

}  // namespace
}  // namespace shardine::datum_reader_test
