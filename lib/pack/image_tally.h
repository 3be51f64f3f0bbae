// ImageTally: counts of stored images that lose bits or were encoded again, as
// sentences for people.
#ifndef SHARDINE_PACK_IMAGE_TALLY_H_
#define SHARDINE_PACK_IMAGE_TALLY_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "dataset/manifest.h"
#include "image/deep_image.h"
#include "pack/block.h"

namespace shardine {

// Thread-compatible.
class ImageTally {
 public:
  // In the order in which the first is to be named.
  void Add(const PreparedPayload& payload, std::string_view key);

  // Sentences for people.
  std::vector<std::string> Warnings() const;

 private:
  DeepImageCount deep_;
  std::vector<ManifestKind> encoded_;  // by the kind before
  std::uint64_t scaled_ = 0;
  std::uint64_t dropped_ = 0;
};

}  // namespace shardine

#endif  // SHARDINE_PACK_IMAGE_TALLY_H_
