// Philox4x32-10, the counter-based generator of Salmon et al., "Parallel
// random numbers: as easy as 1, 2, 3" (SC 2011). A pure function: the same
// key and counter give the same four words on any machine.
#ifndef SHARDINE_BASE_PHILOX_H_
#define SHARDINE_BASE_PHILOX_H_

#include <array>
#include <cstdint>

namespace shardine {

using PhiloxCounter = std::array<std::uint32_t, 4>;
using PhiloxKey = std::array<std::uint32_t, 2>;

std::array<std::uint32_t, 4> Philox4x32(PhiloxCounter counter, PhiloxKey key);

}  // namespace shardine

#endif  // SHARDINE_BASE_PHILOX_H_
