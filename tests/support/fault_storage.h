// FaultStorage: passes calls to another storage and makes chosen ones fail.
// Thread-safe.
#ifndef SHARDINE_SUPPORT_FAULT_STORAGE_H_
#define SHARDINE_SUPPORT_FAULT_STORAGE_H_

#include <cstdint>
#include <memory>
#include <string>

#include "io/storage.h"

namespace shardine {

// The kinds of call that can fail.
enum class Operation : std::uint8_t {
  kOpen,
  kRead,
  kCreate,  // and OpenForAppend
  kWrite,   // WritableFile::Append
  kSync,    // of a file, or of a file system
  kClose,
  kStat,  // and FreeBytes
  kList,
  kMakeDirectory,
  kRename,
  kRemove,
  kSyncDirectory,
  kLock,
  kAny,  // in a Fault: counts calls of every kind
};

struct Fault {
  Operation operation = Operation::kAny;
  std::uint64_t call = 0;  // 0 = the first call of that kind fails
  int error = 5;           // errno; EIO
  // kError: the call fails. kShortWrite: a write stores half of its bytes,
  // then fails. kLostSync: a sync reports success and does nothing (on calls
  // they do not fit, these two are kError).
  // kCrash: this and every later call fails, as if the process were gone, and
  // nothing more reaches the storage below, destructors included; but locks
  // are released when their FileLocks are destroyed, as the dead hold none.
  // kNoMemory: the call throws std::bad_alloc.
  enum class Effect : std::uint8_t {
    kError,
    kShortWrite,
    kLostSync,
    kCrash,
    kNoMemory
  };
  Effect effect = Effect::kError;
};

class FaultStorage : public Storage {
 public:
  // `below` must outlive this.
  FaultStorage(Storage& below, Fault fault);
  ~FaultStorage() override;

  // Calls seen so far of that kind (kAny: of all kinds), to learn how many
  // there are to fail.
  std::uint64_t calls(Operation operation) const;
  // True once the fault has struck.
  bool struck() const;

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
  Result<std::uint64_t> FreeBytes(const std::string& path) override;
  Result<std::unique_ptr<FileLock>> Lock(const std::string& path) override;

 private:
  class State;
  class ReadableFile;
  class AppendedFile;
  Storage& below_;
  std::shared_ptr<State> state_;  // shared with the files handed out
};

}  // namespace shardine

#endif  // SHARDINE_SUPPORT_FAULT_STORAGE_H_
