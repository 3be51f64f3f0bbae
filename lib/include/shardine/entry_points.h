// Entry points: where the decoding of a JPEG can begin in the middle of its
// scan, so that a crop costs what it shows. Kept with each shard (.sde); the
// images stay as they are.
#ifndef SHARDINE_ENTRY_POINTS_H_
#define SHARDINE_ENTRY_POINTS_H_

#include <cstdint>

namespace shardine {

enum class EntryPoints : std::uint8_t {
  kNone,
  kAuto,  // for each image that can have some
};

struct EntryPointCounts {
  std::uint64_t images = 0;   // that have entry points
  std::uint64_t damaged = 0;  // that were to have some, had they been sound

  EntryPointCounts& operator+=(const EntryPointCounts& other) {
    images += other.images;
    damaged += other.damaged;
    return *this;
  }
  friend bool operator==(const EntryPointCounts&,
                         const EntryPointCounts&) = default;
};

}  // namespace shardine

#endif  // SHARDINE_ENTRY_POINTS_H_
