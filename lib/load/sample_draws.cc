#include "load/sample_draws.h"

#include "base/philox.h"

namespace shardine {
namespace {

std::uint32_t Low(std::uint64_t word) {
  return static_cast<std::uint32_t>(word);
}

}  // namespace

Draw SampleDraws::operator()(std::uint32_t draw) const {
  return Draw(Philox4x32({Low(id_), Low(id_ >> 32), epoch_, view_ << 24 | draw},
                         {Low(seed_), Low(seed_ >> 32)}));
}

}  // namespace shardine
