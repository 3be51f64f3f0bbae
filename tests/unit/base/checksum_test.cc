#include "base/checksum.h"

#include <catch2/catch.hpp>
#include <string>
#include <utility>

namespace shardine::checksum_test {
namespace {

// The buffer of xxHash's own sanity checks.
std::string SanityBuffer(std::size_t size) {
  std::string buffer;
  std::uint64_t generator = 2654435761U;
  for (std::size_t i = 0; i < size; ++i) {
    buffer += static_cast<char>(generator >> 56);
    generator *= 11400714785074694797U;
  }
  return buffer;
}

TEST_CASE("Crc32c gives the values of RFC 3720 B.4", "[checksum]") {
  std::string ascending;
  for (int i = 0; i < 32; ++i) ascending += static_cast<char>(i);
  const std::string descending(ascending.rbegin(), ascending.rend());
  const std::string read_command(
      "\x01\xC0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x14\0\0\0\0\0\x04\0"
      "\0\0\0\x14\0\0\0\x18\x28\0\0\0\0\0\0\0\x02\0\0\0\0\0\0\0",
      48);
  CHECK(Crc32c(AsBytes(std::string(32, '\0'))) == 0x8A9136AA);
  CHECK(Crc32c(AsBytes(std::string(32, '\xFF'))) == 0x62A8AB43);
  CHECK(Crc32c(AsBytes(ascending)) == 0x46DD794E);
  CHECK(Crc32c(AsBytes(descending)) == 0x113FDB5C);
  CHECK(Crc32c(AsBytes(read_command)) == 0xD9963A56);
}

TEST_CASE("Crc32c of nothing is 0, of 123456789 the check value",
          "[checksum]") {
  CHECK(Crc32c({}) == 0);
  CHECK(Crc32c(AsBytes("123456789")) == 0xE3069283);
}

TEST_CASE("Crc32c goes on from any split", "[checksum]") {
  const std::string buffer = SanityBuffer(600);
  const std::uint32_t whole = Crc32c(AsBytes(buffer));
  const ByteView bytes = AsBytes(buffer);
  for (std::size_t split = 0; split <= buffer.size(); ++split) {
    const std::uint32_t begin = Crc32c(bytes.first(split));
    REQUIRE(Crc32c(bytes.subspan(split), begin) == whole);
  }
}

TEST_CASE("Crc32c does not depend on alignment", "[checksum]") {
  const std::string buffer = SanityBuffer(200);
  const std::uint32_t expected = Crc32c(AsBytes(buffer));
  for (std::size_t shift = 1; shift < 64; ++shift) {
    const std::string moved = std::string(shift, 'x') + buffer;
    REQUIRE(Crc32c(AsBytes(moved).subspan(shift)) == expected);
  }
}

TEST_CASE("Xxh3_64 gives xxHash's own values at every size class",
          "[checksum]") {
  const std::pair<std::size_t, std::uint64_t> vectors[] = {
      {0, 0x2D06800538D394C2},    {1, 0xC44BDFF4074EECDB},
      {6, 0x27B56A84CD2D7325},    {12, 0xA713DAF0DFBB77E7},
      {24, 0xA3FE70BF9D3510EB},   {48, 0x397DA259ECBA1F11},
      {80, 0xBCDEFBBB2C47C90A},   {195, 0xCD94217EE362EC3A},
      {403, 0xCDEB804D65C6DEA4},  {512, 0x617E49599013CB6B},
      {2048, 0xDD59E2C3A5F038E0}, {2240, 0x6E73A90539CF2948},
      {2367, 0xCB37AEB9E5D361ED}};
  for (const auto& [size, hash] : vectors) {
    INFO(size);
    CHECK(Xxh3_64(AsBytes(SanityBuffer(size))) == hash);
  }
}

TEST_CASE("Xxh3_64 depends on its seed", "[checksum]") {
  CHECK(Xxh3_64({}, 0x9E3779B185EBCA8D) == 0xA8A6B918B2F0364A);
  CHECK(Xxh3_64(AsBytes(SanityBuffer(1)), 0x9E3779B185EBCA8D) ==
        0x032BE332DD766EF8);
}

TEST_CASE("Xxh3_128 gives xxHash's own values", "[checksum]") {
  const std::pair<std::size_t, const char*> vectors[] = {
      {0, "99aa06d3014798d86001c324468d497f"},
      {1, "a6cd5e9392000f6ac44bdff4074eecdb"},
      {6, "082afe0b8162d12a3e7039bdda43cfc6"},
      {12, "6e3efd8fc7802b18061a192713f69ad9"},
      {24, "0ce966e4678d37611e7044d28b1b901d"},
      {48, "a002ac4e5478227ef942219aed80f67b"}};
  for (const auto& [size, hex] : vectors) {
    INFO(size);
    CHECK(Xxh3_128(AsBytes(SanityBuffer(size))).ToHex() == hex);
  }
}

TEST_CASE("Xxh3Stream equals the one-shot digest at every split",
          "[checksum]") {
  for (const std::size_t size : {0u, 1u, 17u, 240u, 241u, 1025u}) {
    const std::string buffer = SanityBuffer(size);
    const ByteView bytes = AsBytes(buffer);
    const Digest128 whole = Xxh3_128(bytes);
    Xxh3Stream stream;
    for (std::size_t split = 0; split <= size; ++split) {
      stream.Reset();
      stream.Update(bytes.first(split));
      REQUIRE(stream.Digest() == Xxh3_128(bytes.first(split)));
      stream.Update(bytes.subspan(split));
      REQUIRE(stream.Digest() == whole);
    }
  }
}

TEST_CASE("Xxh3Stream takes many small pieces and numbers", "[checksum]") {
  const std::string buffer = SanityBuffer(3000);
  Xxh3Stream stream;
  for (const char& c : buffer) stream.Update(AsBytes({&c, 1}));
  CHECK(stream.Digest() == Xxh3_128(AsBytes(buffer)));
  std::string text;
  AppendLe(std::uint32_t{7}, text);
  AppendLe(std::int64_t{-7}, text);
  AppendLe(0.5, text);
  stream.Reset();
  stream.UpdateLe(std::uint32_t{7});
  stream.UpdateLe(std::int64_t{-7});
  stream.UpdateLe(0.5);
  CHECK(stream.Digest() == Xxh3_128(AsBytes(text)));
}

TEST_CASE("Xxh3Stream can be moved half way", "[checksum]") {
  Xxh3Stream first;
  first.Update(AsBytes("abc"));
  Xxh3Stream second = std::move(first);
  second.Update(AsBytes("def"));
  CHECK(second.Digest() == Xxh3_128(AsBytes("abcdef")));
  Xxh3Stream third;
  third = std::move(second);
  CHECK(third.Digest() == Xxh3_128(AsBytes("abcdef")));
}

}  // namespace
}  // namespace shardine::checksum_test
