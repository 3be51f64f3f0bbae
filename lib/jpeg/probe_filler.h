// Fills the tables of probes from the meanings of single codes.
#ifndef SHARDINE_JPEG_PROBE_FILLER_H_
#define SHARDINE_JPEG_PROBE_FILLER_H_

#include <array>
#include <cstdint>

#include "base/simd_level.h"
#include "jpeg/entropy_tables.h"

namespace shardine {

// The code that the kProbeBits begin with: its length << 8 | its symbol; 0 if
// it is longer, or none. A code of n bits has 2^(kProbeBits - n) of them, side
// by side from a multiple of that.
using ProbeCodes = std::array<std::uint16_t, kProbes>;

// The same at every level.
void FillProbes(SimdLevel level, const ProbeCodes& dc, const ProbeCodes& ac,
                ProbeTables& tables);

}  // namespace shardine

#endif  // SHARDINE_JPEG_PROBE_FILLER_H_
