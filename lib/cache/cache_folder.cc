#include "cache/cache_folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <string_view>
#include <thread>

#include "base/errno_words.h"
#include "base/status_macros.h"
#include "base/stderr_line.h"
#include "io/output_names.h"
#include "io/path_scheme.h"
#include "io/readable_storage.h"
#include "shardine/environment.h"
#include "shardine/escape.h"

namespace shardine {
namespace {

constexpr char kTagName[] = "CACHEDIR.TAG";
constexpr std::string_view kTag =
    "Signature: 8a477f597d28d172789f06886806bc55\n"
    "# Shards and indexes that shardine read of servers, version 1. All of it\n"
    "# can be removed: shardine cache clear\n";
constexpr char kPart[] = ".part";
constexpr mode_t kOwnFolder = 0700;
constexpr mode_t kOwnFile = 0600;
constexpr int kOpen = O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;

Status Refuse(const std::string& path, const std::string& why) {
  return Status(Code::kInvalidArgument,
                "cannot be a cache: " + why + "; name a new folder for it")
      .At({.path = path});
}

Status MakeFolders(const std::string& path) {
  const std::string parent = DirectoryOf(path);
  if (::mkdir(path.c_str(), kOwnFolder) == 0 || errno == EEXIST) return {};
  if (errno != ENOENT || parent == path) {
    return Status::FromErrno(errno, "create directory", path);
  }
  SHARDINE_RETURN_IF_ERROR(MakeFolders(parent));
  if (::mkdir(path.c_str(), kOwnFolder) == 0 || errno == EEXIST) return {};
  return Status::FromErrno(errno, "create directory", path);
}

bool IsSame(const struct stat& a, const struct stat& b) {
  return a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

// Homes, and the roots of disks, are refused: a cache there is a mistake.
Status CheckPlace(int folder, const std::string& path) {
  struct stat own;
  struct stat other;
  if (::fstat(folder, &own) != 0) {
    return Status::FromErrno(errno, "stat", path);
  }
  if (::fstatat(folder, "..", &other, 0) == 0 &&
      (own.st_dev != other.st_dev || IsSame(own, other))) {
    return Refuse(path, "it is the root of a disk");
  }
  const std::string home = Environment::Current().Of("HOME");
  if (!home.empty() && ::stat(home.c_str(), &other) == 0 &&
      IsSame(own, other)) {
    return Refuse(path, "it is your home");
  }
  return {};
}

std::vector<std::string> NamesIn(int folder) {
  std::vector<std::string> names;
  const int again = ::openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR* const stream = again < 0 ? nullptr : ::fdopendir(again);
  if (stream == nullptr) {
    if (again >= 0) ::close(again);
    return names;
  }
  while (const dirent* entry = ::readdir(stream)) {
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") names.emplace_back(name);
  }
  ::closedir(stream);
  return names;
}

bool HasTag(int folder) {
  const CacheDescriptor file(::openat(folder, kTagName, O_RDONLY | kOpen));
  char bytes[kTag.size() + 1];
  return file &&
         ::read(file.get(), bytes, sizeof(bytes)) ==
             static_cast<ssize_t>(kTag.size()) &&
         std::string_view(bytes, kTag.size()) == kTag;
}

// An unfinished tag, of a process that died or of one that writes it now.
bool IsTagPart(std::string_view name) {
  return name.starts_with(kTagName) && name.ends_with(kPart);
}

// Appears whole or not at all.
Status MakeTag(int folder, const std::string& path) {
  // Each thread has a name of its own: none takes the file of another away.
  const std::string part = kTagName + std::string(".") +
                           std::to_string(::getpid()) + "-" +
                           std::to_string(::syscall(SYS_gettid)) + kPart;
  const CacheDescriptor file(::openat(
      folder, part.c_str(), O_WRONLY | O_CREAT | O_TRUNC | kOpen, kOwnFile));
  const bool made = file &&
                    ::write(file.get(), kTag.data(), kTag.size()) ==
                        static_cast<ssize_t>(kTag.size()) &&
                    ::renameat(folder, part.c_str(), folder, kTagName) == 0;
  if (made) return {};
  Status failed = Status::FromErrno(errno, "create", JoinPath(path, part));
  ::unlinkat(folder, part.c_str(), 0);
  return failed;
}

Status Claim(int folder, const std::string& path) {
  SHARDINE_RETURN_IF_ERROR(CheckPlace(folder, path));
  const std::vector<std::string> names = NamesIn(folder);
  for (const std::string& name : names) {
    if (name == kManifestName) return Refuse(path, "it holds a dataset");
  }
  if (HasTag(folder)) return {};
  for (const std::string& name : names) {
    if (!IsTagPart(name) && name != kTagName) {
      return Refuse(path, "it holds files of others, " + EscapeBytes(name));
    }
  }
  // Another process may have made it since.
  struct stat tag;
  const bool is_foreign =
      ::fstatat(folder, kTagName, &tag, AT_SYMLINK_NOFOLLOW) == 0 &&
      !HasTag(folder);
  if (is_foreign) return Refuse(path, "it is the cache of another program");
  return MakeTag(folder, path);
}

bool IsOwnFile(int file) {
  struct stat facts;
  return ::fstat(file, &facts) == 0 && S_ISREG(facts.st_mode) &&
         facts.st_uid == ::geteuid();
}

// Noted to a minute: otherwise each sample would write to the disk's journal.
void NoteUse(int file) {
  constexpr std::time_t kMinute = 60;
  struct stat facts;
  struct timespec now;
  if (::fstat(file, &facts) != 0) return;
  ::clock_gettime(CLOCK_REALTIME, &now);
  if (now.tv_sec - facts.st_mtim.tv_sec < kMinute &&
      facts.st_mtim.tv_sec <= now.tv_sec) {
    return;
  }
  ::futimens(file, nullptr);
}

}  // namespace

CacheDescriptor::~CacheDescriptor() {
  if (number_ >= 0) ::close(number_);
}

std::size_t ReadDescriptor(const CacheDescriptor& file, std::uint64_t offset,
                           std::span<std::byte> out) {
  std::size_t done = 0;
  while (done < out.size()) {
    const ssize_t count =
        ::pread(file.get(), out.data() + done, out.size() - done,
                static_cast<off_t>(offset + done));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    done += static_cast<std::size_t>(count);
  }
  return done;
}

CacheFolder::CacheFolder(std::string path, CacheDescriptor folder,
                         const CacheLimits& limits)
    : path_(std::move(path)), folder_(std::move(folder)), limits_(limits) {}

Result<std::shared_ptr<CacheFolder>> CacheFolder::Open(
    const std::string& path, const CacheLimits& limits) {
  if (!SchemeOf(path).empty() || path.empty() || path.find('\0') != path.npos) {
    return Refuse(path, "it is no folder of this machine");
  }
  SHARDINE_RETURN_IF_ERROR(MakeFolders(path));
  CacheDescriptor folder(
      ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder && errno == ENOTDIR) return Refuse(path, "it is a file");
  if (!folder) return Status::FromErrno(errno, "open", path);
  SHARDINE_RETURN_IF_ERROR(Claim(folder.get(), path));
  return std::shared_ptr<CacheFolder>(
      new CacheFolder(path, std::move(folder), limits));
}

Result<std::shared_ptr<CacheFolder>> CacheFolder::OpenExisting(
    const std::string& path) {
  CacheDescriptor folder(
      ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder) return Status::FromErrno(errno, "open", path);
  if (!HasTag(folder.get())) {
    return Status(Code::kInvalidArgument, "is no cache of shardine's")
        .At({.path = path});
  }
  return std::shared_ptr<CacheFolder>(
      new CacheFolder(path, std::move(folder), {}));
}

CacheDescriptor CacheFolder::Find(const std::string& name) const {
  if (name.empty()) return CacheDescriptor();
  CacheDescriptor file(::openat(folder_.get(), name.c_str(), O_RDWR | kOpen));
  if (!file && (errno == EACCES || errno == EROFS)) {
    file = CacheDescriptor(
        ::openat(folder_.get(), name.c_str(), O_RDONLY | kOpen));
  }
  if (!file || !IsOwnFile(file.get())) return CacheDescriptor();
  NoteUse(file.get());
  return file;
}

CacheDescriptor CacheFolder::FindOrMake(const std::string& name) {
  if (name.empty()) return CacheDescriptor();
  CacheDescriptor file = Find(name);
  if (file || is_broken_) return file;
  file = CacheDescriptor(::openat(folder_.get(), name.c_str(),
                                  O_RDWR | O_CREAT | kOpen, kOwnFile));
  if (!file) Complain("create");
  if (!file || !IsOwnFile(file.get())) return CacheDescriptor();
  return file;
}

bool CacheFolder::HasName(const CacheDescriptor& file,
                          const std::string& name) const {
  struct stat own;
  struct stat named;
  return ::fstat(file.get(), &own) == 0 &&
         ::fstatat(folder_.get(), name.c_str(), &named, AT_SYMLINK_NOFOLLOW) ==
             0 &&
         IsSame(own, named);
}

CacheDescriptor CacheFolder::FindToWrite(const std::string& name,
                                         const CacheDescriptor& file) const {
  CacheDescriptor again(::openat(folder_.get(), name.c_str(), O_RDWR | kOpen));
  if (!again) return again;
  // Where the file system knows no locks, nothing is proved either.
  const bool is_locked =
      ::flock(again.get(), LOCK_SH | LOCK_NB) == 0 || errno != EWOULDBLOCK;
  if (!is_locked || !HasName(file, name) || !HasName(again, name)) {
    return CacheDescriptor();
  }
  return again;
}

bool CacheFolder::Prove(const std::string& name, const std::string& proved,
                        const std::function<bool()>& is_sound) const {
  if (name.empty() || proved.empty()) return false;
  const CacheDescriptor file(
      ::openat(folder_.get(), name.c_str(), O_RDWR | kOpen));
  return file && ::flock(file.get(), LOCK_EX | LOCK_NB) == 0 &&
         HasName(file, name) && is_sound() &&
         ::renameat(folder_.get(), name.c_str(), folder_.get(),
                    proved.c_str()) == 0;
}

CacheDescriptor CacheFolder::BeginPart(const std::string& name) {
  constexpr int kLooks = 20;
  constexpr std::chrono::milliseconds kPause{50};
  if (name.empty() || is_broken_) return CacheDescriptor();
  const std::string part = name + kPart;
  for (int i = 0; i < kLooks; ++i) {
    CacheDescriptor file(::openat(folder_.get(), part.c_str(),
                                  O_RDWR | O_CREAT | kOpen, kOwnFile));
    if (!file) {
      Complain("create");
      return file;
    }
    if (!IsOwnFile(file.get())) return CacheDescriptor();
    if (::flock(file.get(), LOCK_EX | LOCK_NB) == 0) {
      // The previous holder of the lock may have given the file its name.
      if (HasName(file, part) && ::ftruncate(file.get(), 0) == 0) return file;
    } else if (errno != EWOULDBLOCK) {
      // The file system has no locks: two writers would not see each other.
      Complain("lock");
      RemovePart(name);
      return CacheDescriptor();
    } else {
      std::this_thread::sleep_for(kPause);
    }
    if (::faccessat(folder_.get(), name.c_str(), F_OK, AT_SYMLINK_NOFOLLOW) ==
        0) {
      break;
    }
  }
  return CacheDescriptor();
}

bool CacheFolder::IsPartLocked(const std::string& name) const {
  const CacheDescriptor file(
      ::openat(folder_.get(), (name + kPart).c_str(), O_RDONLY | kOpen));
  return file && ::flock(file.get(), LOCK_SH | LOCK_NB) != 0 &&
         errno == EWOULDBLOCK;
}

bool CacheFolder::Publish(const CacheDescriptor& part,
                          const std::string& name) {
  if (part && ::renameat(folder_.get(), (name + kPart).c_str(), folder_.get(),
                         name.c_str()) == 0) {
    return true;
  }
  // The file is gone: the cache was cleared.
  if (errno != ENOENT) Complain("rename");
  return false;
}

void CacheFolder::RemovePart(const std::string& name) const {
  ::unlinkat(folder_.get(), (name + kPart).c_str(), 0);
}

Status CacheFolder::Remove(const std::string& name) const {
  const auto kind = KindOfCacheName(name);
  if (!kind) return Status();
  // Companions that are read are taken as they are; of payloads each block is
  // looked at, so that a reader sees that a block is gone.
  if (kind == CachedKind::kPayload) {
    const CacheDescriptor file(
        ::openat(folder_.get(), name.c_str(), O_RDWR | kOpen));
    if (file && !IsOwnFile(file.get())) return Status();
    if (file) static_cast<void>(::ftruncate(file.get(), 0) == 0);
  }
  if (::unlinkat(folder_.get(), name.c_str(), 0) == 0 || errno == ENOENT) {
    return Status();
  }
  return Status::FromErrno(errno, "unlink", JoinPath(path_, name));
}

bool CacheFolder::Write(const CacheDescriptor& file, std::uint64_t offset,
                        ByteView bytes) {
  if (is_broken_) return false;
  while (!bytes.empty()) {
    const ssize_t count = ::pwrite(file.get(), bytes.data(), bytes.size(),
                                   static_cast<off_t>(offset));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) {
      Complain("write");
      return false;
    }
    bytes = bytes.subspan(static_cast<std::size_t>(count));
    offset += static_cast<std::uint64_t>(count);
  }
  return true;
}

std::vector<CachedFileInfo> CacheFolder::List() const {
  std::vector<CachedFileInfo> files;
  for (std::string& name : NamesIn(folder_.get())) {
    const auto kind = KindOfCacheName(name);
    struct stat facts;
    if (!kind ||
        ::fstatat(folder_.get(), name.c_str(), &facts, AT_SYMLINK_NOFOLLOW) !=
            0 ||
        !S_ISREG(facts.st_mode)) {
      continue;
    }
    constexpr std::uint64_t kUnit = 512;  // of st_blocks
    files.push_back(
        {.name = std::move(name),
         .kind = *kind,
         .is_part = false,
         .bytes = static_cast<std::uint64_t>(facts.st_blocks) * kUnit,
         .used_ns = std::int64_t{facts.st_mtim.tv_sec} * 1'000'000'000 +
                    facts.st_mtim.tv_nsec});
    files.back().is_part = files.back().name.ends_with(kPart);
  }
  return files;
}

void CacheFolder::Complain(const std::string& what) {
  const int error = errno;
  if (is_broken_.exchange(true)) return;
  SayWithoutWaiting("shardine: the cache " + EscapeBytes(path_) + ": " + what +
                    ": " + ErrnoWords(error) + "; reads go on without it\n");
}

}  // namespace shardine
