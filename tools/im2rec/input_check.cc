#include "im2rec/input_check.h"

namespace shardine {

Status CheckInput(ReadableStorage& storage, const std::string& path,
                  FileKind kind) {
  const Result<FileInfo> info = storage.Stat(path);
  if (info.ok() && info->kind == kind) return {};
  std::string why = "is not a file";
  if (kind == FileKind::kDirectory) why = "is not a folder";
  if (!info.ok()) {
    Status status = info.status();
    if (status.code() != Code::kNotFound) return status;
    why = status.message();
  }
  return Status(Code::kInvalidArgument, why).At({.path = path});
}

}  // namespace shardine
