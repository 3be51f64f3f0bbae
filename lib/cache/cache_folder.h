// CacheFolder: a folder on a local disk in which files of servers are kept for
// the next time, by as many processes of one user as there are. Files are named
// by their contents (CacheName), so that a dataset that was renamed, copied or
// replaced is right. Nothing in it is needed: each file can go at any time, and
// one that is damaged is fetched again.
//
// It removes only files with names of its own form, and is a folder that it
// made, or that was empty: CACHEDIR.TAG (https://bford.info/cachedir/) says so.
#ifndef SHARDINE_CACHE_CACHE_FOLDER_H_
#define SHARDINE_CACHE_CACHE_FOLDER_H_

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/turn.h"
#include "cache/known_file.h"
#include "shardine/status.h"

namespace shardine {

// The descriptor of a file that this process has open. -1: none.
class CacheDescriptor {
 public:
  explicit CacheDescriptor(int number = -1) : number_(number) {}
  CacheDescriptor(CacheDescriptor&& other) noexcept
      : number_(std::exchange(other.number_, -1)) {}
  CacheDescriptor& operator=(CacheDescriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~CacheDescriptor();

  int get() const { return number_; }
  explicit operator bool() const { return number_ >= 0; }

 private:
  int number_;
};

// As many bytes as there are, or can be read: the file may be damaged.
std::size_t ReadDescriptor(const CacheDescriptor& file, std::uint64_t offset,
                           std::span<std::byte> out);

enum class CachedKind : std::uint8_t { kCompanion, kPayload };

struct CacheLimits {
  std::uint64_t bytes = std::uint64_t{4} << 30;
  bool holds_payloads = false;  // else `bytes` count companions alone
  // The part of the disk that the cache leaves free.
  unsigned reserve_percent = 5;
  // A file used within this time makes no room for others: where more is read
  // than fits, the kept files stay, and the rest passes by.
  std::chrono::seconds in_use = std::chrono::minutes(10);
};

struct CachedFileInfo {
  std::string name;
  CachedKind kind = CachedKind::kCompanion;
  bool is_part = false;      // being written, or left by a process that died
  std::uint64_t bytes = 0;   // on the disk
  std::int64_t used_ns = 0;  // when last, since the epoch, to a minute
};

// The name of a companion, "DIGEST-ORIGIN.side", and ".part" while it is
// written. The origin is the server or bucket: a digest is no proof against an
// owner that chooses contents. A payload's name is "DIGEST-SHA256.data" with
// the SHA-256 of the whole address: a mirror at another path may have forged
// blocks under equal checksums. Empty: an origin that is too long for a file's
// name, or a machine without libcrypto.
std::string CacheName(CachedKind kind, const KnownFile& file);
// "DIGEST-ORIGIN.whole": a payload that the digest of the whole shard proved,
// which all addresses of the origin share.
std::string ProvedCacheName(const KnownFile& file);
bool IsProvedCacheName(const std::string& name);
// "DIGEST-local.scan": a kept scan (cache/kept_scan.h) of the shard with that
// digest of its path, size and times. Such a file is a companion.
std::string ScanCacheName(Digest128 shard);
bool IsScanCacheName(const std::string& name);
// nullopt: no name of a file that the cache makes.
std::optional<CachedKind> KindOfCacheName(const std::string& name);
// The digest of the file's contents. REQUIRES: the name has a kind.
Digest128 DigestOfCacheName(const std::string& name);

// Thread-safe; good on both sides of a fork.
class CacheFolder {
 public:
  // Makes the folder if it is not there, for its user alone. kInvalidArgument:
  // it may not be one: a home, the root of a disk, or a folder with files of
  // others, a dataset say. kIo: it cannot be made or written to.
  static Result<std::shared_ptr<CacheFolder>> Open(const std::string& path,
                                                   const CacheLimits& limits);

  // An existing folder, to be looked at. kNotFound; kInvalidArgument: it is no
  // cache folder of shardine.
  static Result<std::shared_ptr<CacheFolder>> OpenExisting(
      const std::string& path);

  const std::string& path() const { return path_; }
  const CacheLimits& limits() const { return limits_; }

  // Opens an existing file to be read, and written to if possible; notes its
  // use. None: it does not exist, or is no file of this user.
  CacheDescriptor Find(const std::string& name) const;
  // The same, made if it does not exist. None: it cannot be, as a warning
  // tells.
  CacheDescriptor FindOrMake(const std::string& name);
  // Opens once more the file that `file` is open on, under a shared lock that
  // lasts as long as the descriptor. None: the file has lost this name, or is
  // being proved.
  CacheDescriptor FindToWrite(const std::string& name,
                              const CacheDescriptor& file) const;
  // Gives the file its proved name if `is_sound` says so, while no process
  // writes to it. False: it kept its name.
  bool Prove(const std::string& name, const std::string& proved,
             const std::function<bool()>& is_sound) const;
  // An empty file to write, of which this process alone has the lock. None:
  // another process writes it, for longer than a second; or `name` exists by
  // now; or it cannot be made, as a warning tells.
  CacheDescriptor BeginPart(const std::string& name);
  // Whether another process is writing the part of that name.
  bool IsPartLocked(const std::string& name) const;
  // Gives the part its name. False: it cannot, as a warning tells.
  bool Publish(const CacheDescriptor& part, const std::string& name);
  void RemovePart(const std::string& name) const;
  // Removes a file. Payloads lose their bytes at once, for every reader. A file
  // that others removed is no failure.
  Status Remove(const std::string& name) const;

  // Whether so many bytes may be written now: removes the files unused for
  // longest, if there is a need. Each process counts for itself between looks
  // at the folder, a 64th of the limit at most.
  bool MakeRoom(std::uint64_t bytes);
  // They were written, or will not be.
  void EndWrite(std::uint64_t bytes);
  // Writes. False: it could not, as a warning tells, and nothing is written
  // from now on.
  bool Write(const CacheDescriptor& file, std::uint64_t offset, ByteView bytes);

  // In no particular order.
  std::vector<CachedFileInfo> List() const;

 private:
  struct Survey;
  CacheFolder(std::string path, CacheDescriptor folder,
              const CacheLimits& limits);
  bool HasName(const CacheDescriptor& file, const std::string& name) const;
  bool Counts(const CachedFileInfo& file) const;
  Survey Measure() const;
  std::optional<bool> Grant(std::uint64_t bytes);
  std::uint64_t TakeGrants();
  void Evict(Survey& survey, std::uint64_t wanted) const;
  void Complain(const std::string& what);

  const std::string path_;
  const CacheDescriptor folder_;
  const CacheLimits limits_;
  std::atomic<bool> is_broken_ = false;
  Turn measuring_;
  // ForkMutex() guards this and all members below.
  std::uint64_t granted_ = 0;
  // The bytes of writes that were granted and have not ended.
  std::uint64_t under_way_ = 0;
  // Until then there is no room.
  std::chrono::steady_clock::time_point full_until_;
};

}  // namespace shardine

#endif  // SHARDINE_CACHE_CACHE_FOLDER_H_
