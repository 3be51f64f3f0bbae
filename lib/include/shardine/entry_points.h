// Entry points: where the decoding of a JPEG can begin in the middle of its
// scan, so that a crop costs only its own pixels. Kept with each shard (.sde);
// the images stay as they are.
#ifndef SHARDINE_ENTRY_POINTS_H_
#define SHARDINE_ENTRY_POINTS_H_

#include <cstdint>

namespace shardine {

enum class EntryPoints : std::uint8_t {
  kNone,
  kAuto,  // for each image that can have some
};

// The trust of a loader in entry points (.sde). Their checksums find damage,
// not forgery: points that were made up to agree with each other would give
// crops other pixels. Wrong ones are never an error: the image is decoded
// without, and counted (LoaderStats::refused_entry_points).
enum class EntryPointTrust : std::uint8_t {
  // Taken as they are; each crop checks the segments that it decodes by them,
  // and a few places more. For datasets that you made, or verified at full
  // level.
  kTrusted,
  // Compared with the sample's whole image before their first use in this
  // process: the first crop of each takes about twice the time. Pixels never
  // depend on the .sde.
  kProved,
  kUnused,  // Images are decoded from their beginning.
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
