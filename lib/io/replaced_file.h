// ReplacedFile: checks of the file that stands where another is to be written.
#ifndef SHARDINE_IO_REPLACED_FILE_H_
#define SHARDINE_IO_REPLACED_FILE_H_

#include <span>
#include <string>
#include <string_view>

#include "base/status_macros.h"
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

// OK where `path` is free or its file begins with `beginning`, as all of this
// `kind` ("report") do. kInvalidArgument: another file stands there.
inline Status CheckReplacesKind(ReadableStorage& storage,
                                const std::string& path,
                                std::string_view beginning,
                                const std::string& kind) {
  SHARDINE_ASSIGN_OR_RETURN(const bool is_there,
                            HasFileToReplace(storage, path));
  if (!is_there) return Status();
  SHARDINE_ASSIGN_OR_RETURN(const auto file, storage.Open(path));
  std::string found(beginning.size(), '\0');
  const bool is_kind =
      file->size() >= found.size() &&
      file->ReadAt(0, std::as_writable_bytes(std::span(found))).ok() &&
      found == beginning;
  if (is_kind) return Status();
  return Status(Code::kInvalidArgument,
                "is there and is no " + kind + ", which would replace it")
      .At({.path = path});
}

}  // namespace shardine

#endif  // SHARDINE_IO_REPLACED_FILE_H_
