// NearGroups: samples whose images are alike, and those with copies of these.
#ifndef SHARDINE_VERIFY_NEAR_GROUPS_H_
#define SHARDINE_VERIFY_NEAR_GROUPS_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "dataset/image_copies.h"
#include "shardine/audit.h"
#include "verify/near_copies.h"

namespace shardine {

// Ascending positions of the samples in any pair.
std::vector<std::uint64_t> PositionsOf(std::span<const LikePair> pairs);

// All samples that pairs and copies join. Those that copies alone join are
// left out.
class NearGroups {
 public:
  NearGroups() = default;
  // REQUIRES: `copies` lists all PositionsOf() the pairs.
  NearGroups(const ImageCopies& copies, std::span<const LikePair> pairs);

  // By the first member.
  const std::vector<ImageCopies::Image>& images() const { return images_; }
  CopyKind kind(std::size_t image) const { return kinds_[image]; }

 private:
  std::vector<std::uint32_t> members_;  // those of an image together
  std::vector<ImageCopies::Image> images_;
  std::vector<CopyKind> kinds_;
};

}  // namespace shardine

#endif  // SHARDINE_VERIFY_NEAR_GROUPS_H_
