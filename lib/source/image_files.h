// The image files of a source, of every class and split: the input of commands
// that write files again.
#ifndef SHARDINE_SOURCE_IMAGE_FILES_H_
#define SHARDINE_SOURCE_IMAGE_FILES_H_

#include <string>

#include "io/readable_storage.h"
#include "shardine/source.h"
#include "shardine/status.h"
#include "source/source_set.h"

namespace shardine {

// Takes `folders`, `list`, `list_root` and `blacklist` of the options; the
// others must be as they are by default.
//
// - Trees: every file below the folders that FolderWalk finds, in the order of
//   WalkLess, numbered from 0 on through the folders; no labels, no classes. If
//   `output` is a folder that links lead to, its contents are left out
//   (FolderWalk's "output-folder"): an earlier run made them.
// - Lists: as LoadSource().
//
// Failures as LoadSource(); kInvalidArgument, too, if a folder is `output`.
Result<SourceSet> LoadImageFiles(ReadableStorage& storage,
                                 const SourceOptions& options,
                                 const std::string& output);

}  // namespace shardine

#endif  // SHARDINE_SOURCE_IMAGE_FILES_H_
