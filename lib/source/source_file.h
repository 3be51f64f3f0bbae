// One file of a source: looked at, not read.
#ifndef SHARDINE_SOURCE_SOURCE_FILE_H_
#define SHARDINE_SOURCE_SOURCE_FILE_H_

#include <cstdint>
#include <span>
#include <string_view>

#include "io/readable_storage.h"
#include "shardine/label.h"
#include "source/source_set.h"

namespace shardine {

struct SourceFile {
  std::string_view key;
  std::uint64_t id = 0;
  std::span<const Label> labels;
  std::uint32_t split = 0;  // into SourceSet::splits
  std::uint32_t root = 0;   // into SourceSet::roots
  bool is_link = false;     // known to be a symbolic link
};

// Adds the file roots[root]/key, whose key is its path, to set.samples with its
// size and mtime, or to set.bad with the reason.
void AddSourceFile(ReadableStorage& storage, const SourceFile& file,
                   SourceSet& set);

// True for the suffixes of torchvision's IMG_EXTENSIONS, in any case.
bool HasImageSuffix(std::string_view name);

}  // namespace shardine

#endif  // SHARDINE_SOURCE_SOURCE_FILE_H_
