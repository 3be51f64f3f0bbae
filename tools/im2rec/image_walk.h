// The images below a folder, in the order and with the labels that im2rec.py
// --list gives them.
#ifndef SHARDINE_IM2REC_IMAGE_WALK_H_
#define SHARDINE_IM2REC_IMAGE_WALK_H_

#include <cstdint>
#include <string>
#include <vector>

#include "io/readable_storage.h"
#include "shardine/status.h"

namespace shardine {

struct ListedImage {
  std::uint64_t id = 0;     // position in the walk
  std::uint64_t label = 0;  // number of its directory
  std::string path;         // relative to the root
};

struct WalkOptions {
  std::string root;
  // Without it only the root's own files, all with label 0.
  bool recursive = false;
  std::vector<std::string> suffixes;  // lower case, with the dot
};

struct ImageWalk {
  std::vector<ListedImage> images;
  // Directories that directly hold images, relative to the root ("." is the
  // root), in the order of their labels. Empty unless recursive.
  std::vector<std::string> labelled;
  // The skipped entries and the reasons, one line each: links to a directory
  // above them, names with an image's suffix that are no files.
  std::vector<std::string> notes;
};

// Depth first, a directory's files before its subdirectories, names in byte
// order, links followed. A name that a list cannot hold (tab, line break, white
// space at its ends) and a directory that cannot be read are failures.
Result<ImageWalk> WalkImages(ReadableStorage& storage,
                             const WalkOptions& options);

}  // namespace shardine

#endif  // SHARDINE_IM2REC_IMAGE_WALK_H_
