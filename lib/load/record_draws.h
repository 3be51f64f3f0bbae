// The draws of shardine/image_record_operations.h: the parameters of its
// operations for one sample, and how its floats are drawn.
#ifndef SHARDINE_LOAD_RECORD_DRAWS_H_
#define SHARDINE_LOAD_RECORD_DRAWS_H_

#include <array>
#include <cstddef>
#include <cstdint>

#include "load/operation_draws.h"
#include "load/sample_draws.h"
#include "pixels/opencv_hls.h"
#include "pixels/record_normalizer.h"
#include "shardine/image_record_operations.h"

namespace shardine {

// F(d, w): in [0, 1), multiples of 2^-24.
inline float DrawFloat(const Draw& draw, std::size_t word) {
  return static_cast<float>(draw.Below(word, 1 << 24)) * 0x1p-24f;
}

// In floats, as MXNet's distributions are. REQUIRES: finite.
float FloatBetween(const DrawnRange& range, float uniform);

// One of ImageRecordJitter's changes.
struct RecordColor {
  enum class Kind : std::uint8_t { kBrightness, kContrast, kSaturation };
  Kind kind = Kind::kBrightness;
  float factor = 1;
};

// In their order; the first `count` of them.
struct RecordColors {
  std::array<RecordColor, 3> colors;
  std::size_t count = 0;
};
RecordColors DrawRecordColors(const ImageRecordJitter& jitter,
                              const OperationDraws& draws);

HlsShift DrawHls(const RandomHls& hls, const OperationDraws& draws);

// The addends of red, green and blue.
std::array<float, 3> DrawPcaNoise(const PcaNoise& noise,
                                  const OperationDraws& draws);

RecordScale DrawRecordScale(const ImageRecordNormalize& normalize,
                            const OperationDraws& draws);

}  // namespace shardine

#endif  // SHARDINE_LOAD_RECORD_DRAWS_H_
