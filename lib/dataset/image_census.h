// ImageCensus: whether any sample of scanned shards has an image, and how many
// images lose bits. A set without an image is mostly no set of images, or its
// fields have unexpected names.
#ifndef SHARDINE_DATASET_IMAGE_CENSUS_H_
#define SHARDINE_DATASET_IMAGE_CENSUS_H_

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "image/deep_image.h"
#include "shard/shard_index.h"

namespace shardine {

// Thread-compatible.
class ImageCensus {
 public:
  void Add(const IndexEntry& entry);
  void Add(const ImageCensus& other);
  // Samples that have an image, of which no more is known.
  void AddUnread(std::uint64_t samples);

  // Sentences for people: there is no sample; no sample has an image, and which
  // fields there are; some images have no bytes, or 16 bits a channel.
  std::vector<std::string> Warnings() const;

 private:
  static constexpr std::size_t kMostNames = 8;

  std::uint64_t samples_ = 0;
  DeepImageCount deep_;
  std::uint64_t empty_ = 0;  // images of no bytes
  bool has_image_ = false;
  std::set<std::string> names_;  // of fields, while there is no image
  bool more_ = false;            // fields than those
};

}  // namespace shardine

#endif  // SHARDINE_DATASET_IMAGE_CENSUS_H_
