// FolderLock: one run at a time makes or changes the contents of a folder,
// whatever its verb. An advisory lock on FOLDER/.pack/lock.
#ifndef SHARDINE_IO_FOLDER_LOCK_H_
#define SHARDINE_IO_FOLDER_LOCK_H_

#include <memory>
#include <string>
#include <utility>

#include "io/output_names.h"
#include "io/storage.h"

namespace shardine {

// FOLDER/.pack/NAME.
std::string WorkPath(const std::string& folder, const std::string& name);

// Thread-compatible.
class FolderLock {
 public:
  // Makes the folder, and FOLDER/.pack, if they are not there. kAlreadyExists:
  // another run holds the lock; never waits. `storage` must outlive it.
  static Result<FolderLock> Take(Storage& storage, std::string folder);
  FolderLock(FolderLock&&) noexcept = default;
  FolderLock& operator=(FolderLock&&) = delete;
  ~FolderLock();  // as Release(), without a word of a failure

  // Removes the lock file and, where nothing else is in it, FOLDER/.pack. A
  // process that waits with the old file open notices (Storage::Lock).
  // Idempotent.
  Status Release();

  const std::string& folder() const { return folder_; }
  // As FileLock::weakness(). REQUIRES: held.
  std::string weakness() const { return lock_->weakness(); }

 private:
  FolderLock(Storage& storage, std::string folder,
             std::unique_ptr<FileLock> lock)
      : storage_(&storage),
        folder_(std::move(folder)),
        lock_(std::move(lock)) {}

  Storage* storage_;
  std::string folder_;
  std::unique_ptr<FileLock> lock_;  // null once moved from or released
};

}  // namespace shardine

#endif  // SHARDINE_IO_FOLDER_LOCK_H_
