// Storage: all that shardine asks of a file system, small enough that an
// in-memory and a fault-injecting twin stand in for it in tests.
// io/readable_storage.h has its reading part, and the rules of paths. Code that
// only reads takes a ReadableStorage, so that a place that cannot be written to
// will do.
#ifndef SHARDINE_IO_STORAGE_H_
#define SHARDINE_IO_STORAGE_H_

#include <cstdint>
#include <memory>
#include <string>

#include "base/bytes.h"
#include "io/readable_storage.h"
#include "shardine/status.h"

namespace shardine {

// A file being written from its start. Thread-compatible. Destruction without
// Close() closes and ignores errors: only for files that are abandoned.
class WritableFile {
 public:
  virtual ~WritableFile() = default;

  // Goes to the operating system at once, without a buffer of its own: many
  // small pieces are slow. After a failure the end of the file is undefined.
  virtual Status Append(ByteView bytes) = 0;
  // Everything appended so far is on stable storage.
  virtual Status Sync() = 0;
  virtual Status Close() = 0;
  virtual const std::string& path() const = 0;
};

// Held from Storage::Lock until destruction.
class FileLock {
 public:
  virtual ~FileLock() = default;

  // When it does not keep others out, in words; mostly empty.
  virtual std::string weakness() const { return ""; }
  // Whether the file of that name is still the one that is locked: another one
  // is another holder's. Here: it is.
  virtual bool IsAt(const std::string& /*path*/) const { return true; }
};

class Storage : public ReadableStorage {
 public:
  // A new file. One under that name, or a link, gives way; none is followed.
  virtual Result<std::unique_ptr<WritableFile>> Create(
      const std::string& path) = 0;
  // Creates if absent, else goes on at the end.
  virtual Result<std::unique_ptr<WritableFile>> OpenForAppend(
      const std::string& path) = 0;
  // False: OpenForAppend() is kUnsupported for all.
  virtual bool can_append() const { return true; }
  // With parents; fine if it exists as a directory. New directories are on
  // stable storage.
  virtual Status CreateDirectories(const std::string& directory) = 0;
  // Replaces `to` atomically.
  virtual Status Rename(const std::string& from, const std::string& to) = 0;
  // The same of a file, but kAlreadyExists where something has the name `to`.
  // Here: looked at before, which leaves a moment in between.
  virtual Status RenameNew(const std::string& from, const std::string& to);
  // Whether a renamed file keeps the time of its last change.
  virtual bool renames_keep_times() const { return true; }
  // A file or an empty directory.
  virtual Status Remove(const std::string& path) = 0;
  // Creations, renames and removals inside `directory` are on stable storage.
  virtual Status SyncDirectory(const std::string& directory) = 0;
  // All that was written, created, renamed or removed so far on the file system
  // that holds `directory` is on stable storage: one call for many small files.
  virtual Status SyncFileSystem(const std::string& directory) = 0;
  // Bytes an unprivileged user can still write where `path`, which need not
  // exist yet, lies or would lie. kUnsupported: there is no end.
  virtual Result<std::uint64_t> FreeBytes(const std::string& path) = 0;
  // An exclusive advisory lock on `path`, created if absent. Never waits:
  // kAlreadyExists, with the known facts of the holder, when another has it.
  // Gone when the process is, or soon after.
  virtual Result<std::unique_ptr<FileLock>> Lock(const std::string& path) = 0;
};

}  // namespace shardine

#endif  // SHARDINE_IO_STORAGE_H_
