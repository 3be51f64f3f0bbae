// NearCopies: samples whose images look alike, though their bytes differ.
#ifndef SHARDINE_VERIFY_NEAR_COPIES_H_
#define SHARDINE_VERIFY_NEAR_COPIES_H_

#include <cstdint>
#include <vector>

#include "shardine/job.h"
#include "shardine/status.h"
#include "verify/audited_images.h"
#include "verify/near_pairs.h"

namespace shardine {

struct LikePair {
  std::uint64_t first = 0;  // positions
  std::uint64_t second = 0;
  bool has_same_pixels = false;
};

struct NearCopies {
  std::vector<LikePair> pairs;  // those of equal bytes among them
  // Images without a hash, which were not compared: those that do not decode,
  // be it when they are read once more, and those with next to nothing in them,
  // as of one color.
  std::uint64_t undecoded = 0;
  std::uint64_t plain = 0;
  std::uint64_t cut = 0;  // images with more candidates than were compared
};

// Compares the hashes of all images (near_pairs.h), then the pixels of those
// whose hashes are near. Takes 32 bytes for each image, 16 for each pair of
// candidates (near_pairs.h), and 256 MiB. The result is the same for any number
// of threads.
Result<NearCopies> FindNearCopies(const AuditedImages& images, unsigned threads,
                                  const Job& job);

// Whether two of that likeness (image/small_image.h) are copies: the further
// apart their hashes are, the more alike they must be.
bool IsCopy(double likeness, std::uint32_t distance);

}  // namespace shardine

#endif  // SHARDINE_VERIFY_NEAR_COPIES_H_
