// Random numbers of augmentation: functions of (seed, sample id, epoch, view,
// repetition, number of the draw) and nothing else, so that threads, ranks,
// order and format change nothing. Philox4x32-10 with key = seed, counter = (id
// low, id high, epoch, view * 2^24 + draw). For a repetition of the sample in
// the epoch, above 0, the key is the XXH3-64 of its number (8 bytes), seeded
// with the seed.
#ifndef SHARDINE_LOAD_SAMPLE_DRAWS_H_
#define SHARDINE_LOAD_SAMPLE_DRAWS_H_

#include <array>
#include <cstddef>
#include <cstdint>

namespace shardine {

// One draw: four independent numbers.
class Draw {
 public:
  explicit Draw(const std::array<std::uint32_t, 4>& words) : words_(words) {}

  // In [0, 1), multiples of 2^-32. REQUIRES: word < 4, as below.
  double Uniform(std::size_t word) const { return words_[word] * 0x1p-32; }
  // In [0, count): floor(word * count / 2^32).
  std::uint32_t Below(std::size_t word, std::uint32_t count) const {
    return static_cast<std::uint32_t>(std::uint64_t{words_[word]} * count >>
                                      32);
  }
  // The first two words.
  std::uint64_t Bits() const {
    return std::uint64_t{words_[0]} << 32 | words_[1];
  }

 private:
  std::array<std::uint32_t, 4> words_;
};

// Immutable, so thread-safe.
class SampleDraws {
 public:
  static constexpr std::uint32_t kViews = 256;

  // Epochs 2^32 apart have the same draws. REQUIRES: view < kViews.
  SampleDraws(std::uint64_t seed, std::uint64_t id, std::uint64_t epoch,
              std::uint32_t view = 0, std::uint64_t repetition = 0);

  // REQUIRES: draw < 2^24.
  Draw operator()(std::uint32_t draw) const;

 private:
  std::uint64_t seed_;
  std::uint64_t id_;
  std::uint32_t epoch_;
  std::uint32_t view_;
};

}  // namespace shardine

#endif  // SHARDINE_LOAD_SAMPLE_DRAWS_H_
