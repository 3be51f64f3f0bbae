#include "load/sample_draws.h"

#include <cstddef>

#include "base/bytes.h"
#include "base/checksum.h"
#include "base/philox.h"

namespace shardine {
namespace {

std::uint32_t Low(std::uint64_t word) {
  return static_cast<std::uint32_t>(word);
}

std::uint64_t KeyOf(std::uint64_t seed, std::uint64_t repetition) {
  if (repetition == 0) return seed;
  std::byte number[sizeof(repetition)];
  StoreLe(repetition, number);
  return Xxh3_64(number, seed);
}

}  // namespace

SampleDraws::SampleDraws(std::uint64_t seed, std::uint64_t id,
                         std::uint64_t epoch, std::uint32_t view,
                         std::uint64_t repetition)
    : seed_(KeyOf(seed, repetition)),
      id_(id),
      epoch_(static_cast<std::uint32_t>(epoch)),
      view_(view) {}

Draw SampleDraws::operator()(std::uint32_t draw) const {
  return Draw(Philox4x32({Low(id_), Low(id_ >> 32), epoch_, view_ << 24 | draw},
                         {Low(seed_), Low(seed_ >> 32)}));
}

}  // namespace shardine
