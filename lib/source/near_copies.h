// NearCopies: samples whose images look alike, though their bytes differ.
#ifndef SHARDINE_SOURCE_NEAR_COPIES_H_
#define SHARDINE_SOURCE_NEAR_COPIES_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "shardine/audit.h"
#include "shardine/progress.h"
#include "shardine/status.h"
#include "source/compared_images.h"
#include "source/near_pairs.h"

namespace shardine {

struct LikePair {
  std::uint64_t first = 0;  // positions
  std::uint64_t second = 0;
  CopyKind kind = CopyKind::kNear;
};

struct NearCopies {
  // Each was compared. Among samples with the same bytes only the first is in
  // pairs with other images, and it is in a pair with each of the others.
  std::vector<LikePair> pairs;
  // Images that were not compared, with next to nothing in them: of one color.
  std::uint64_t plain = 0;
  std::uint64_t cut = 0;  // images with more candidates than were compared
};

struct NearSearch {
  // Bits that the hashes of any two may be apart. None: as NearLimits has it,
  // where the smallest splits, of 50,000 samples together, are the wide ones.
  std::optional<std::uint32_t> distance = {};
  unsigned threads = 1;
};

// Compares the hashes of all images (near_pairs.h), then the pixels of those
// whose hashes are near. Takes 48 bytes for each image, 16 for each pair of
// candidates, and 256 MiB. The result is the same for any number of threads.
// `unread`: images that do not decode, be it when they are read once more.
Result<NearCopies> FindNearCopies(const ComparedImages& images,
                                  const NearSearch& search,
                                  UnreadImages& unread,
                                  const ProgressFunction& progress);

// The approximate work of that.
NearWork WorkOf(const ComparedImages& images, const NearSearch& search);

// Whether two of that LikenessOf() (image/small_image.h) are copies: the
// further apart their hashes are, the more alike they must be.
bool IsCopy(double likeness, std::uint32_t distance);

}  // namespace shardine

#endif  // SHARDINE_SOURCE_NEAR_COPIES_H_
