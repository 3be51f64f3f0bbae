// ReadableStorage: all that shardine asks of a place that it only reads from.
//
// Paths are byte strings with `/`. Every failure carries path and errno.
// Implementations are thread-safe; the file objects state their own rules.
#ifndef SHARDINE_IO_READABLE_STORAGE_H_
#define SHARDINE_IO_READABLE_STORAGE_H_

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

struct Piece;     // io/read_many.h
class ManyFiles;  // io/many_files.h

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
  // Reads damaged pieces once more, and waits: the storage itself is asked,
  // past all caches and servers in between. REQUIRES: they have no failure, and
  // lie in the file. False, and nothing was done: it would give the same bytes.
  // Here: false.
  virtual bool ReadAgain(std::span<Piece> pieces) const;

  // Completes the answers of the same pieces, when all of them are done. Here:
  // nothing.
  virtual void EndReads(std::span<Piece> pieces) const;
  // These bytes were wrong: where they came from a cache, the next read of them
  // asks the storage again. Here: does nothing.
  virtual void Forget(std::uint64_t offset, std::uint64_t size) const;

  // Where the next byte lies that takes room on the disk: all from `offset` to
  // there are zeros. `offset` itself where that cannot be told. Here: that.
  virtual std::uint64_t StoredFrom(std::uint64_t offset) const;

  // Whether the byte there is in memory, so that reading it, and mostly its
  // neighbours, waits for nothing. False where that cannot be told. Here:
  // false.
  virtual bool IsAtHand(std::uint64_t offset) const;
  // A hint: reads inside [offset, offset + size) follow soon. A local disk
  // begins to read them; a server is asked for all of it at once, if that fits
  // into `room`, and the bytes are kept for as long as the returned object
  // lives: `room` is lessened by them. Null: nothing is kept. Returns at once
  // and never fails; reads find their bytes with it or without. Here: does
  // nothing.
  virtual std::shared_ptr<const void> ReadAhead(std::uint64_t offset,
                                                std::uint64_t size,
                                                std::uint64_t& room) const;
};

enum class FileKind : std::uint8_t { kRegular, kDirectory, kSymlink, kOther };

struct FileInfo {
  FileKind kind = FileKind::kOther;  // never kSymlink from Stat
  std::uint64_t size = 0;            // bytes
  std::int64_t mtime_ns = 0;         // since the epoch
  std::uint64_t device = 0;          // (device, inode) identify a file
  std::uint64_t inode = 0;           // 0: it has no identity
};

// Whether the two are known to be one. False for a file without an identity.
bool IsSameFile(const FileInfo& a, const FileInfo& b);

struct DirEntry {
  std::string name;
  FileKind kind = FileKind::kOther;  // not followed: links are kSymlink
};

class ReadableStorage {
 public:
  virtual ~ReadableStorage() = default;

  // Regular files only (links followed): anything else is kUnsupported at
  // once, so that opening a FIFO never blocks. kNotFound if absent.
  virtual Result<std::unique_ptr<RandomAccessFile>> Open(
      const std::string& path) = 0;
  // The same of a file that is to be read as a whole, and is thought to have so
  // many bytes: of a server they come with the one answer that opens it. Here:
  // Open.
  virtual Result<std::unique_ptr<RandomAccessFile>> OpenWhole(
      const std::string& path, std::uint64_t /*bytes*/) {
    return Open(path);
  }
  // The same of a file that is to be read from its start to its end, piece by
  // piece: a server is asked for the following pieces in advance. Here: Open.
  virtual Result<std::unique_ptr<RandomAccessFile>> OpenForward(
      const std::string& path) {
    return Open(path);
  }
  // Follows links. kNotFound if absent or a dangling link.
  virtual Result<FileInfo> Stat(const std::string& path) = 0;
  // Without "." and "..", in no particular order.
  virtual Result<std::vector<DirEntry>> List(const std::string& directory) = 0;
  // Where the bytes of the file come from: cached bytes belong to this address
  // until a digest proves them. No query, user or password is in it; the
  // service that answers for the path is. Here: the path.
  virtual Result<std::string> AddressOf(const std::string& path) {
    return path;
  }
  // Its calls on many files at a time, where each answer takes a while; null
  // where one after the other is as quick (here).
  virtual ManyFiles* many_files() { return nullptr; }
  // The path under which other libraries of this process find the file that
  // this storage calls `path`; nullopt if they cannot.
  virtual std::optional<std::string> NativePath(
      const std::string& /*path*/) const {
    return std::nullopt;
  }
};

// Whole file into memory. kUnsupported if larger than `max_size`.
Result<std::string> ReadFile(ReadableStorage& storage, const std::string& path,
                             std::uint64_t max_size);

// "a/b/c" -> "a/b" (or "." / "/") and "c".
std::string DirectoryOf(const std::string& path);
std::string FileNameOf(const std::string& path);
// One `/` between the two; `name` alone if `directory` is empty or ".".
std::string JoinPath(const std::string& directory, const std::string& name);

}  // namespace shardine

#endif  // SHARDINE_IO_READABLE_STORAGE_H_
