// The existing file where a file of one's own is to be written.
#ifndef SHARDINE_IO_REPLACED_FILE_H_
#define SHARDINE_IO_REPLACED_FILE_H_

#include <string>

#include "io/readable_storage.h"
#include "shardine/status.h"

namespace shardine {

// Whether `path` is a file, whose contents say if it may be replaced; false:
// nothing exists there. kInvalidArgument: it is a folder, device or pipe.
inline Result<bool> HasFileToReplace(ReadableStorage& storage,
                                     const std::string& path) {
  const auto info = storage.Stat(path);
  if (info.status().code() == Code::kNotFound) return false;
  if (!info.ok()) return info.status();
  if (info->kind == FileKind::kRegular) return true;
  return Status(Code::kInvalidArgument, "is there and is not a regular file")
      .At({.path = path});
}

}  // namespace shardine

#endif  // SHARDINE_IO_REPLACED_FILE_H_
