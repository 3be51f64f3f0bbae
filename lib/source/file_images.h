// FileImages: the files of a source, to be compared with each other.
#ifndef SHARDINE_SOURCE_FILE_IMAGES_H_
#define SHARDINE_SOURCE_FILE_IMAGES_H_

#include <cstdint>
#include <span>
#include <vector>

#include "io/readable_storage.h"
#include "source/compared_images.h"
#include "source/source_set.h"

namespace shardine {

// Positions are numbers of samples. Thread-safe.
class FileImages : public ComparedImages {
 public:
  // Both must outlive it.
  FileImages(ReadableStorage& storage, const SourceSet& files)
      : storage_(storage), files_(files) {}

  std::uint64_t size() const override { return files_.samples.size(); }
  std::vector<bool> InSmallSplits(std::uint64_t most) const override;
  Status Read(std::span<const std::uint64_t> positions, ImageUse use,
              const Visit& visit, const Failed& failed) const override;

 private:
  ReadableStorage& storage_;
  const SourceSet& files_;
};

}  // namespace shardine

#endif  // SHARDINE_SOURCE_FILE_IMAGES_H_
