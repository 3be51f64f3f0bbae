#include "io/output_folder.h"

#include <vector>

#include "base/status_macros.h"
#include "io/atomic_file.h"
#include "io/storage_for.h"

namespace shardine {

Result<OutputFolder> OutputFolder::Of(const Job& job, const std::string& path) {
  SHARDINE_ASSIGN_OR_RETURN(Storage* const storage,
                            OutputStorageFor(job, path));
  return OutputFolder(*storage, path);
}

OutputFolder OutputFolder::Below(const std::string& name) const {
  return {*storage_, PathOf(name)};
}

std::string OutputFolder::PathOf(const std::string& name) const {
  return name.empty() ? path_ : JoinPath(path_, name);
}

std::string OutputFolder::WorkPath(const std::string& name) const {
  return shardine::WorkPath(path_, name);
}

Result<FolderLock> OutputFolder::Lock() const {
  SHARDINE_ASSIGN_OR_RETURN(FolderLock lock,
                            FolderLock::Take(*storage_, path_));
  const Status replacing = storage_->Stat(WorkPath(kReplacementName)).status();
  if (replacing.code() == Code::kNotFound) return lock;
  if (!replacing.ok()) return replacing;
  return Status(Code::kChanged,
                "a dataset is being replaced here, and the work was "
                "interrupted; the same command, told to replace it, finishes")
      .At({.path = path_});
}

Status OutputFolder::Remove(const std::string& path) const {
  Status removed = storage_->Remove(path);
  return removed.code() == Code::kNotFound ? Status() : removed;
}

Status OutputFolder::RemoveTemporaries() const {
  SHARDINE_ASSIGN_OR_RETURN(const auto entries, storage_->List(path_));
  for (const DirEntry& entry : entries) {
    // A folder or link of such a name is not ours.
    if (entry.kind != FileKind::kRegular || !IsTemporaryName(entry.name)) {
      continue;
    }
    SHARDINE_RETURN_IF_ERROR(storage_->Remove(PathOf(entry.name)));
  }
  return Status();
}

}  // namespace shardine
