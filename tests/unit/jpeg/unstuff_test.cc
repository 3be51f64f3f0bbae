#include "jpeg/unstuff.h"

#include <catch2/catch.hpp>
#include <random>
#include <span>
#include <vector>

#include "support/simd_levels.h"

namespace shardine::unstuff_test {
namespace {

using Bytes = std::vector<std::uint8_t>;

struct Result {
  std::size_t read = 0;
  Bytes out;

  friend bool operator==(const Result&, const Result&) = default;
};

// Unstuffs by the definition, one byte after the other.
Result Expected(const Bytes& data) {
  Result result;
  while (result.read < data.size()) {
    const bool ff = data[result.read] == 0xFF;
    const bool last = result.read + 1 == data.size();
    if (ff && !last && data[result.read + 1] != 0) break;
    result.out.push_back(data[result.read]);
    result.read += ff && !last ? 2 : 1;
  }
  return result;
}

// In memory of its own size at any alignment, so that sanitizers see reads
// outside.
Result Run(SimdLevel level, const Bytes& data, std::size_t alignment) {
  Bytes memory(alignment);
  memory.insert(memory.end(), data.begin(), data.end());
  memory.shrink_to_fit();
  constexpr std::uint8_t kUntouched = 0xA5;
  Bytes out(data.size() + 2 * kUnstuffPadding, kUntouched);
  const Unstuffed done = Unstuff(
      level, std::as_bytes(std::span(memory)).subspan(alignment), out.data());
  REQUIRE(done.written <= data.size());
  for (std::size_t i = done.written + kUnstuffPadding; i < out.size(); ++i) {
    REQUIRE(out[i] == kUntouched);
  }
  out.resize(done.written);
  return {done.read, std::move(out)};
}

void CheckAtAllLevels(const Bytes& data, std::size_t alignment = 0) {
  const Result expected = Expected(data);
  for (const SimdLevel level : SimdLevels()) {
    INFO(ToString(level) << ", " << data.size() << " bytes");
    REQUIRE((Run(level, data, alignment) == expected));
  }
}

// One in `rarity` bytes is an FF, most of them with a zero behind.
Bytes RandomBytes(std::mt19937& random, std::size_t size,
                  std::uint32_t rarity) {
  Bytes data;
  while (data.size() < size) {
    data.push_back(static_cast<std::uint8_t>(random()));
    if (random() % rarity != 0) continue;
    data.push_back(0xFF);
    if (random() % 200 != 0) data.push_back(0);
  }
  data.resize(size);
  return data;
}

}  // namespace

TEST_CASE("bytes with few, many and no FFs are unstuffed", "[jpeg]") {
  std::mt19937 random(1);
  for (const std::uint32_t rarity : {1u, 2u, 9u, 100u, 100000u}) {
    for (std::size_t size = 0; size < 400; ++size) {
      CheckAtAllLevels(RandomBytes(random, size, rarity), size % 64);
    }
    CheckAtAllLevels(RandomBytes(random, 100000, rarity), 3);
  }
}

TEST_CASE("a marker at any place ends the data", "[jpeg]") {
  for (std::size_t at = 0; at < 150; ++at) {
    for (const std::uint8_t code : Bytes{0x01, 0xD0, 0xD9, 0xFF}) {
      Bytes data(200, 0x11);
      data[at] = 0xFF;
      data[at + 1] = code;
      CHECK(Expected(data).read == at);
      CheckAtAllLevels(data);
    }
  }
}

TEST_CASE("an FF that is the last byte is data", "[jpeg]") {
  for (std::size_t size = 1; size < 200; ++size) {
    Bytes data(size, 0x22);
    data.back() = 0xFF;
    CHECK(Expected(data).read == size);
    CheckAtAllLevels(data);
    data.push_back(0);
    CheckAtAllLevels(data);
  }
}

TEST_CASE("a stuffed zero at any place is left out, others are kept",
          "[jpeg]") {
  for (std::size_t at = 0; at < 150; ++at) {
    Bytes data(200, 0);
    data[at] = 0xFF;
    CHECK(Expected(data).out.size() == 199);
    CheckAtAllLevels(data);
    data[at + 2] = 0xFF;
    CHECK(Expected(data).out.size() == 198);
    CheckAtAllLevels(data);
  }
  for (std::size_t pairs = 1; pairs < 150; ++pairs) {
    Bytes data;
    for (std::size_t i = 0; i < pairs; ++i) data.insert(data.end(), {0xFF, 0});
    CHECK(Expected(data).out == Bytes(pairs, 0xFF));
    CheckAtAllLevels(data);
  }
}

}  // namespace shardine::unstuff_test
