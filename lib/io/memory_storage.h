// MemoryStorage: a file system in memory, for tests and dry runs at scale.
// Behaves as the local one: links, hidden files, locks (released when the
// FileLock is destroyed), error codes with errno; but everybody may do
// everything, and relative paths start at "/". Thread-safe.
//
// It also models power loss: unsynced bytes can be dropped.
#ifndef SHARDINE_IO_MEMORY_STORAGE_H_
#define SHARDINE_IO_MEMORY_STORAGE_H_

#include <memory>
#include <string>

#include "io/storage.h"

namespace shardine {

class MemoryTree;

// Files and locks it hands out may outlive it.
class MemoryStorage : public Storage {
 public:
  MemoryStorage();
  ~MemoryStorage() override;

  // Replaces the file of that name (not a directory), makes parents as needed
  // and survives LosePower(). Times count calls.
  void Put(const std::string& path, std::string contents);
  // A file of `size` zero bytes that costs memory for its name only.
  void PutSparse(const std::string& path, std::uint64_t size);
  void PutSymlink(const std::string& path, const std::string& target);
  void PutFifo(const std::string& path);
  // kNotFound if absent.
  Result<std::string> Get(const std::string& path) const;

  // Forgets the bytes appended after each file's last Sync() and undoes
  // renames, creations, replacements and removals whose directory was not
  // synced since, as a power cut may.
  void LosePower();

  Result<std::unique_ptr<RandomAccessFile>> Open(
      const std::string& path) override;
  Result<std::unique_ptr<WritableFile>> Create(
      const std::string& path) override;
  Result<std::unique_ptr<WritableFile>> OpenForAppend(
      const std::string& path) override;
  Result<FileInfo> Stat(const std::string& path) override;
  Result<std::vector<DirEntry>> List(const std::string& directory) override;
  Status CreateDirectories(const std::string& directory) override;
  Status Rename(const std::string& from, const std::string& to) override;
  Status Remove(const std::string& path) override;
  Status SyncDirectory(const std::string& directory) override;
  Status SyncFileSystem(const std::string& directory) override;
  // Always 1 TiB.
  Result<std::uint64_t> FreeBytes(const std::string& path) override;
  Result<std::unique_ptr<FileLock>> Lock(const std::string& path) override;

 private:
  std::shared_ptr<MemoryTree> tree_;  // shared with files and locks
};

}  // namespace shardine

#endif  // SHARDINE_IO_MEMORY_STORAGE_H_
