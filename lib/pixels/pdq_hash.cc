#include "pixels/pdq_hash.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <numbers>

#include "base/made_once.h"
#include "base/simd_level.h"
#include "pixels/hash_kernels.h"

namespace shardine {
namespace {

constexpr std::size_t kSide = kPdqSide;
constexpr std::size_t kFrequencies = 16;
using Cosines = std::array<std::array<float, kFrequencies>, kSide>;

// By pixel, then frequency. Rounded as the reference rounds.
Cosines MakeCosines() {
  const auto scale = static_cast<float>(std::sqrt(2.0 / 64.0));
  Cosines cosines;
  for (std::size_t k = 0; k < kSide; ++k) {
    for (std::size_t i = 0; i < kFrequencies; ++i) {
      const double angle = (std::numbers::pi / 2 / 64.0) *
                           static_cast<double>(i + 1) *
                           static_cast<double>(2 * k + 1);
      cosines[k][i] =
          static_cast<float>(static_cast<double>(scale) * std::cos(angle));
    }
  }
  return cosines;
}

int StepBetween(std::uint8_t a, std::uint8_t b) {
  return std::abs((static_cast<int>(a) - static_cast<int>(b)) * 100 / 255);
}

}  // namespace

// Sums are added in the order of the reference, element by element.
PdqHash PdqHashOf(std::span<const std::uint8_t, kPdqPixels> gray) {
  static constinit MadeOnce<Cosines> made;
  const Cosines& cosines = made.Get(MakeCosines);
  std::array<std::array<float, kSide>, kFrequencies> rows = {};
  for (std::size_t k = 0; k < kSide; ++k) {
    std::array<float, kSide> pixels;
    for (std::size_t j = 0; j < kSide; ++j) pixels[j] = gray[k * kSide + j];
    for (std::size_t i = 0; i < kFrequencies; ++i) {
      const float factor = cosines[k][i];
      for (std::size_t j = 0; j < kSide; ++j) rows[i][j] += factor * pixels[j];
    }
  }
  std::array<float, 256> waves = {};
  for (std::size_t i = 0; i < kFrequencies; ++i) {
    for (std::size_t k = 0; k < kSide; ++k) {
      const float factor = rows[i][k];
      for (std::size_t j = 0; j < kFrequencies; ++j) {
        waves[i * kFrequencies + j] += factor * cosines[k][j];
      }
    }
  }
  std::array<float, 256> sorted = waves;
  std::nth_element(sorted.begin(), sorted.begin() + 127, sorted.end());
  const float median = sorted[127];
  PdqHash hash = {};
  for (std::size_t i = 0; i < waves.size(); ++i) {
    if (waves[i] > median) hash[i / 64] |= std::uint64_t{1} << (i % 64);
  }
  return hash;
}

int PdqQualityOf(std::span<const std::uint8_t, kPdqPixels> gray) {
  int steps = 0;
  for (std::size_t i = 0; i < kSide; ++i) {
    for (std::size_t j = 0; j < kSide; ++j) {
      const std::size_t at = i * kSide + j;
      if (i + 1 < kSide) steps += StepBetween(gray[at], gray[at + kSide]);
      if (j + 1 < kSide) steps += StepBetween(gray[at], gray[at + 1]);
    }
  }
  return std::min(steps / 90, 100);
}

// A mirror changes the sign of every other frequency, and so its bit.
PdqHash Turned(const PdqHash& hash, std::uint32_t turn) {
  PdqHash turned = hash;
  if ((turn & 4) != 0) {
    turned = {};
    for (std::size_t i = 0; i < 16; ++i) {
      for (std::size_t j = 0; j < 16; ++j) {
        const std::size_t from = j * 16 + i;
        const std::size_t to = i * 16 + j;
        turned[to / 64] |= ((hash[from / 64] >> (from % 64)) & 1) << (to % 64);
      }
    }
  }
  for (std::uint64_t& word : turned) {
    if ((turn & 1) != 0) word ^= 0x0000ffff0000ffffU;
    if ((turn & 2) != 0) word ^= 0x5555555555555555U;
  }
  return turned;
}

void TurnImage(std::span<const std::uint8_t, kPdqPixels> gray,
               std::uint32_t turn, std::span<std::uint8_t, kPdqPixels> out) {
  for (std::size_t y = 0; y < kSide; ++y) {
    for (std::size_t x = 0; x < kSide; ++x) {
      const std::size_t row = (turn & 1) != 0 ? kSide - 1 - y : y;
      const std::size_t column = (turn & 2) != 0 ? kSide - 1 - x : x;
      out[y * kSide + x] = (turn & 4) != 0 ? gray[column * kSide + row]
                                           : gray[row * kSide + column];
    }
  }
}

std::uint32_t Distance(const PdqHash& a, const PdqHash& b) {
  int bits = 0;
  for (std::size_t i = 0; i < a.size(); ++i) bits += std::popcount(a[i] ^ b[i]);
  return static_cast<std::uint32_t>(bits);
}

HashTable::HashTable(std::span<const PdqHash> hashes) {
  for (std::size_t w = 0; w < words_.size(); ++w) {
    words_[w].reserve(hashes.size());
    for (const PdqHash& hash : hashes) words_[w].push_back(hash[w]);
  }
}

std::size_t HashTable::SearchBlock(const PdqHash& hash, std::size_t first,
                                   std::size_t count, std::uint32_t most,
                                   std::uint32_t* near) const {
  const HashSearch search = VectorHashSearch(CurrentSimdLevel());
  const std::array<const std::uint64_t*, 4> words = {
      words_[0].data() + first, words_[1].data() + first,
      words_[2].data() + first, words_[3].data() + first};
  std::size_t found = 0;
  const std::size_t done = search(hash, words, count, most, near, found);
  for (std::size_t i = done; i < count; ++i) {
    if (Distance(hash, {words[0][i], words[1][i], words[2][i], words[3][i]}) <=
        most) {
      near[found++] = static_cast<std::uint32_t>(i);
    }
  }
  return found;
}

}  // namespace shardine
