// CopiedImages: samples of datasets that have the image of another one, by
// bytes or by looks.
#ifndef SHARDINE_PACK_COPIED_IMAGES_H_
#define SHARDINE_PACK_COPIED_IMAGES_H_

#include <cstdint>
#include <vector>

#include "dataset/dataset_samples.h"
#include "shard/shard_index.h"
#include "shardine/status.h"
#include "source/alike_samples.h"
#include "source/exact_copies.h"

namespace shardine {

// Collects the entries of samples as they are listed. Used by one thread.
class CopiedImages {
 public:
  // Called once for each sample in order. Its image is a candidate by checksum,
  // length, width and height.
  void Add(const IndexEntry& entry);
  // Reads the images of candidates, and compares them by digest.
  Result<std::vector<Likeness>> Find(const DatasetSamples& samples);
  // Decodes all images, and compares those that may look alike.
  Result<AlikeSamples> FindAlike(const DatasetSamples& samples) const;

 private:
  std::uint32_t samples_ = 0;
  std::vector<Likeness> candidates_;
};

}  // namespace shardine

#endif  // SHARDINE_PACK_COPIED_IMAGES_H_
