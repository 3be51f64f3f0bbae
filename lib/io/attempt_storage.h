// AttemptStorage: a storage as it is written to by one of several attempts at
// the same work, which know nothing of each other and may be killed at any
// time. Each has unfinished files of its own, and to find a name taken by the
// very bytes that were to get it is success.
#ifndef SHARDINE_IO_ATTEMPT_STORAGE_H_
#define SHARDINE_IO_ATTEMPT_STORAGE_H_

#include <memory>
#include <string>
#include <vector>

#include "io/storage.h"

namespace shardine {

// Thread-safe. A file whose name has the form of a temporary name
// (io/temporary_name.h) is kept under another one of that form, which this
// attempt alone has; a search for unfinished files finds it. All else is the
// storage's own.
//
// RenameNew() to a name that is there, or that fails in another way: fine if
// the very bytes are there, else kAlreadyExists or that failure. Rename() and
// RenameNew() of a file that the storage has renamed without its answer getting
// here: fine, too.
class AttemptStorage : public Storage {
 public:
  // `attempt` is a word that no other attempt has, such as RandomToken();
  // `storage` must outlive this one.
  AttemptStorage(Storage& storage, std::string attempt)
      : storage_(storage), attempt_(std::move(attempt)) {}

  Result<std::unique_ptr<RandomAccessFile>> Open(
      const std::string& path) override {
    return storage_.Open(OwnPath(path));
  }
  Result<std::unique_ptr<RandomAccessFile>> OpenWhole(
      const std::string& path, std::uint64_t bytes) override {
    return storage_.OpenWhole(OwnPath(path), bytes);
  }
  Result<std::unique_ptr<RandomAccessFile>> OpenForward(
      const std::string& path) override {
    return storage_.OpenForward(OwnPath(path));
  }
  Result<FileInfo> Stat(const std::string& path) override {
    return storage_.Stat(OwnPath(path));
  }
  Result<std::vector<DirEntry>> List(const std::string& directory) override {
    return storage_.List(directory);
  }
  Result<std::string> AddressOf(const std::string& path) override {
    return storage_.AddressOf(path);
  }
  ManyFiles* many_files() override { return storage_.many_files(); }
  std::optional<std::string> NativePath(
      const std::string& path) const override {
    return storage_.NativePath(OwnPath(path));
  }

  Result<std::unique_ptr<WritableFile>> Create(
      const std::string& path) override {
    return storage_.Create(OwnPath(path));
  }
  Result<std::unique_ptr<WritableFile>> OpenForAppend(
      const std::string& path) override {
    return storage_.OpenForAppend(OwnPath(path));
  }
  bool can_append() const override { return storage_.can_append(); }
  Status CreateDirectories(const std::string& directory) override {
    return storage_.CreateDirectories(directory);
  }
  Status Rename(const std::string& from, const std::string& to) override;
  Status RenameNew(const std::string& from, const std::string& to) override;
  bool renames_keep_times() const override {
    return storage_.renames_keep_times();
  }
  Status Remove(const std::string& path) override {
    return storage_.Remove(OwnPath(path));
  }
  Status SyncDirectory(const std::string& directory) override {
    return storage_.SyncDirectory(directory);
  }
  Status SyncFileSystem(const std::string& directory) override {
    return storage_.SyncFileSystem(directory);
  }
  Result<std::uint64_t> FreeBytes(const std::string& path) override {
    return storage_.FreeBytes(path);
  }
  Result<std::unique_ptr<FileLock>> Lock(const std::string& path) override {
    return storage_.Lock(path);
  }

 private:
  using Move = Status (Storage::*)(const std::string& from,
                                   const std::string& to);
  std::string OwnPath(const std::string& path) const;
  Status MoveBy(Move move, const std::string& from, const std::string& to);

  Storage& storage_;
  const std::string attempt_;
};

// The attempt of one of several processes that may write the same file at a
// time, and hold no lock. The next attempt at `path` removes files that a
// killed one left, an hour later.
class OwnAttempt : public AttemptStorage {
 public:
  OwnAttempt(Storage& storage, const std::string& path);
};

// Whether both are files with the same bytes.
Result<bool> HaveSameBytes(ReadableStorage& storage, const std::string& a,
                           const std::string& b);

}  // namespace shardine

#endif  // SHARDINE_IO_ATTEMPT_STORAGE_H_
