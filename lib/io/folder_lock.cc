#include "io/folder_lock.h"

#include <cerrno>
#include <exception>

#include "base/status_macros.h"

namespace shardine {
namespace {

constexpr char kLockName[] = "lock";
constexpr int kLockAttempts = 100;

}  // namespace

std::string WorkPath(const std::string& folder, const std::string& name) {
  return JoinPath(JoinPath(folder, kWorkFolder), name);
}

Result<FolderLock> FolderLock::Take(Storage& storage, std::string folder) {
  const std::string path = WorkPath(folder, kLockName);
  for (int attempt = 1;; ++attempt) {
    SHARDINE_RETURN_IF_ERROR(storage.CreateDirectories(DirectoryOf(path)));
    auto lock = storage.Lock(path);
    if (lock.ok()) {
      return FolderLock(storage, std::move(folder), *std::move(lock));
    }
    Status status = std::move(lock).status();
    if (status.code() == Code::kAlreadyExists) {
      return Status(Code::kAlreadyExists,
                    "another run of shardine is at work on this folder (" +
                        status.message() + ")")
          .At({.path = std::move(folder)});
    }
    // The last holder took the folder away in between.
    if (status.code() != Code::kNotFound || attempt == kLockAttempts) {
      return status;
    }
  }
}

FolderLock::~FolderLock() {
  // A lock file that stays excludes no run, and the next one takes it over.
  try {
    static_cast<void>(Release().ok());
  } catch (const std::exception&) {
  }
}

Status FolderLock::Release() {
  if (lock_ == nullptr) return Status();
  std::unique_ptr<FileLock> held = std::move(lock_);
  const std::string path = WorkPath(folder_, kLockName);
  if (!held->IsAt(path)) return Status();
  SHARDINE_RETURN_IF_ERROR(storage_->Remove(path));
  held.reset();
  const Status removed = storage_->Remove(DirectoryOf(path));
  // Files of work that is to go on, of another run, or of the next holder.
  const bool in_use = removed.system_error() == ENOTEMPTY ||
                      removed.system_error() == EEXIST ||
                      removed.code() == Code::kNotFound;
  if (!removed.ok() && !in_use) return removed;
  return storage_->SyncDirectory(folder_);
}

}  // namespace shardine
