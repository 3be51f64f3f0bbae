// Storage: all that shardine asks of a file system, small enough that an
// in-memory and a fault-injecting twin stand in for it in tests.
//
// Paths are byte strings with `/`. Every failure carries path and errno.
// Implementations are thread-safe; the file objects say what they are.
#ifndef SHARDINE_IO_STORAGE_H_
#define SHARDINE_IO_STORAGE_H_

#include <cstdint>
#include <latch>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "shardine/status.h"

namespace shardine {

struct Piece;  // io/read_many.h

// An open file for reading at any offset. Thread-safe.
class RandomAccessFile {
 public:
  virtual ~RandomAccessFile() = default;

  // Reads into `out` until it is full or the file ends; returns the number of
  // bytes read. Interrupted and short reads are retried inside.
  virtual Result<std::size_t> ReadAt(std::uint64_t offset,
                                     std::span<std::byte> out) const = 0;
  // Size when it was opened.
  virtual std::uint64_t size() const = 0;
  virtual const std::string& path() const = 0;

  // Reads exactly out.size() bytes; kCorrupt "file ends early" with the
  // offset when the file is shorter.
  Status ReadExactly(std::uint64_t offset, std::span<std::byte> out) const;

  // Begins reads, all of this file, and may return before they are done: each
  // gets its bytes or its failure, then `done` is counted down for it. Called
  // by ReadMany() (io/read_many.h). Here: ReadExactly, one after the other,
  // which is the best that a local disk's cache allows.
  virtual void StartReads(std::span<Piece> pieces, std::latch& done) const;
};

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

enum class FileKind : std::uint8_t { kRegular, kDirectory, kSymlink, kOther };

struct FileInfo {
  FileKind kind = FileKind::kOther;  // never kSymlink from Stat
  std::uint64_t size = 0;            // bytes
  std::int64_t mtime_ns = 0;         // since the epoch
  std::uint64_t device = 0;          // (device, inode) identify a file
  std::uint64_t inode = 0;
};

struct DirEntry {
  std::string name;
  FileKind kind = FileKind::kOther;  // not followed: links are kSymlink
};

// Held from Storage::Lock until destruction.
class FileLock {
 public:
  virtual ~FileLock() = default;
};

class Storage {
 public:
  virtual ~Storage() = default;

  // Regular files only (links followed): anything else is kUnsupported at
  // once, so that opening a FIFO never blocks. kNotFound if absent.
  virtual Result<std::unique_ptr<RandomAccessFile>> Open(
      const std::string& path) = 0;
  // A new file. One under that name, or a link, gives way; none is followed.
  virtual Result<std::unique_ptr<WritableFile>> Create(
      const std::string& path) = 0;
  // Creates if absent, else goes on at the end.
  virtual Result<std::unique_ptr<WritableFile>> OpenForAppend(
      const std::string& path) = 0;
  // Follows links. kNotFound if absent or a dangling link.
  virtual Result<FileInfo> Stat(const std::string& path) = 0;
  // Without "." and "..", in no particular order.
  virtual Result<std::vector<DirEntry>> List(const std::string& directory) = 0;
  // With parents; fine if it exists as a directory. Those it makes are on
  // stable storage.
  virtual Status CreateDirectories(const std::string& directory) = 0;
  // Replaces `to` atomically.
  virtual Status Rename(const std::string& from, const std::string& to) = 0;
  // A file or an empty directory.
  virtual Status Remove(const std::string& path) = 0;
  // Creations, renames and removals inside `directory` are on stable storage.
  virtual Status SyncDirectory(const std::string& directory) = 0;
  // All that was written, created, renamed or removed so far on the file system
  // that holds `directory` is on stable storage: one call for many small files.
  virtual Status SyncFileSystem(const std::string& directory) = 0;
  // Bytes an unprivileged user can still write where `path`, which need not
  // exist yet, lies or would lie.
  virtual Result<std::uint64_t> FreeBytes(const std::string& path) = 0;
  // An exclusive advisory lock on `path`, created if absent. Never waits:
  // kAlreadyExists when another holder has it. Gone when the process is.
  virtual Result<std::unique_ptr<FileLock>> Lock(const std::string& path) = 0;
  // The path under which other libraries of this process find the file that
  // this storage calls `path`; nullopt if they cannot.
  virtual std::optional<std::string> NativePath(
      const std::string& /*path*/) const {
    return std::nullopt;
  }
};

// The file system of this machine. Never destroyed.
Storage& LocalStorage();

// Whole file into memory. kUnsupported if larger than `max_size`.
Result<std::string> ReadFile(Storage& storage, const std::string& path,
                             std::uint64_t max_size);

// "a/b/c" -> "a/b" (or "." / "/") and "c".
std::string DirectoryOf(const std::string& path);
std::string FileNameOf(const std::string& path);
// One `/` between the two; `name` alone if `directory` is empty or ".".
std::string JoinPath(const std::string& directory, const std::string& name);

}  // namespace shardine

#endif  // SHARDINE_IO_STORAGE_H_
