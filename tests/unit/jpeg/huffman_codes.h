// Huffman tables of all shapes that a JPEG may have.
#ifndef SHARDINE_TESTS_UNIT_JPEG_HUFFMAN_CODES_H_
#define SHARDINE_TESTS_UNIT_JPEG_HUFFMAN_CODES_H_

#include <algorithm>
#include <random>
#include <vector>

#include "jpeg/jpeg_frame.h"

namespace shardine {

// Counts are cut to the remaining codes: no code is all ones, there are 256 at
// most. Symbols come at random, those of DC up to 15.
inline HuffmanSpec MakeSpec(const std::array<std::uint32_t, 16>& wanted,
                            bool dc, std::mt19937& random) {
  HuffmanSpec spec;
  std::uint32_t left = 1;  // codes of this length that are free
  std::uint32_t symbols = 0;
  for (std::uint32_t length = 1; length <= 16; ++length) {
    left *= 2;
    const std::uint32_t count =
        std::min({wanted[length - 1], left - 1, 256 - symbols, 255u});
    spec.counts[length] = static_cast<std::uint8_t>(count);
    symbols += count;
    left -= count;
  }
  for (std::uint32_t i = 0; i < symbols; ++i) {
    spec.symbols[i] = static_cast<std::uint8_t>(random() % (dc ? 16 : 256));
  }
  return spec;
}

inline std::vector<HuffmanSpec> SpecsOfAllShapes(bool dc) {
  std::mt19937 random(dc ? 1 : 2);
  std::vector<HuffmanSpec> specs;
  // One code, of each length; and as many as there can be of each.
  for (std::size_t length = 0; length < 16; ++length) {
    for (const std::uint32_t count : {1u, 256u}) {
      std::array<std::uint32_t, 16> wanted{};
      wanted[length] = count;
      specs.push_back(MakeSpec(wanted, dc, random));
    }
  }
  // One of each length: all codes but one are taken.
  std::array<std::uint32_t, 16> each;
  each.fill(1);
  specs.push_back(MakeSpec(each, dc, random));
  for (int i = 0; i < 40; ++i) {
    std::array<std::uint32_t, 16> wanted{};
    for (std::size_t n = 1 + random() % 8; n > 0; --n) {
      const std::size_t length = random() % 16;
      wanted[length] +=
          static_cast<std::uint32_t>(random() % (2u << length / 2));
    }
    wanted[15] += 1;
    specs.push_back(MakeSpec(wanted, dc, random));
  }
  return specs;
}

}  // namespace shardine

#endif  // SHARDINE_TESTS_UNIT_JPEG_HUFFMAN_CODES_H_
