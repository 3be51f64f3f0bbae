// Folders of masks or annotations beside folders of images, which a tree of
// class folders would number as classes.
#ifndef SHARDINE_SOURCE_TARGET_FOLDERS_H_
#define SHARDINE_SOURCE_TARGET_FOLDERS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "shardine/status.h"
#include "source/source_set.h"

namespace shardine {

// Checks one root's class folders, whose samples are in `set`.
// kInvalidArgument: one is named as targets are ("masks", "labels",
// "annotations" and the like) and holds no images; or most of its files have
// the names, but for their suffixes, of another folder's, which is the only
// other one or named as images are. One of two folders may have such a word in
// its name ("img_mask").
Status CheckTargetFolders(const std::vector<std::string>& classes,
                          std::uint32_t root, const SourceSet& set);

}  // namespace shardine

#endif  // SHARDINE_SOURCE_TARGET_FOLDERS_H_
