#include "io/local_storage.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>

#include "base/kept_from_children.h"
#include "base/made_once.h"
#include "base/status_macros.h"
#include "io/owned_file.h"
#include "io/path_scheme.h"

namespace shardine {
namespace {

// Calls again while a signal interrupts. Result as of the system call.
template <typename Call>
auto Retry(Call call) {
  auto result = call();
  while (result == -1 && errno == EINTR) result = call();
  return result;
}

// A path with a zero byte can name no file. Cut short it could name another
// one, so the system gets the empty path, of which it says the truth: ENOENT.
const char* PathOf(const std::string& path) {
  return path.find('\0') == path.npos ? path.c_str() : "";
}

Status Failed(std::string_view action, const std::string& path) {
  return Status::FromErrno(errno, action, path);
}

Status NotRegular(const std::string& path) {
  return Status(Code::kUnsupported, "not a regular file").At({.path = path});
}

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&&) = delete;
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }

  int get() const { return fd_; }
  int Release() { return std::exchange(fd_, -1); }

 private:
  int fd_;
};

Status CheckLocal(const std::string& path) {
  return SchemeOf(path).empty() ? Status() : RefuseScheme(path);
}

// O_NONBLOCK: a FIFO must never block the open; regular files ignore it.
Result<Descriptor> OpenDescriptor(const std::string& path, int flags) {
  SHARDINE_RETURN_IF_ERROR(CheckLocal(path));
  const int fd = Retry([&] {
    return ::open(PathOf(path), flags | O_CLOEXEC | O_NONBLOCK | O_NOCTTY,
                  0666);
  });
  if (fd < 0) return Failed("open", path);
  return Descriptor(fd);
}

FileKind KindOf(mode_t mode) {
  if (S_ISREG(mode)) return FileKind::kRegular;
  if (S_ISDIR(mode)) return FileKind::kDirectory;
  if (S_ISLNK(mode)) return FileKind::kSymlink;
  return FileKind::kOther;
}

FileInfo InfoOf(const struct stat& facts) {
  FileInfo info;
  info.kind = KindOf(facts.st_mode);
  info.size = static_cast<std::uint64_t>(facts.st_size);
  info.mtime_ns = std::int64_t{facts.st_mtim.tv_sec} * 1'000'000'000 +
                  facts.st_mtim.tv_nsec;
  info.device = facts.st_dev;
  info.inode = facts.st_ino;
  return info;
}

Result<FileInfo> StatDescriptor(const Descriptor& fd, const std::string& path) {
  struct stat facts;
  if (::fstat(fd.get(), &facts) != 0) return Failed("stat", path);
  return InfoOf(facts);
}

class LocalRandomAccessFile : public RandomAccessFile {
 public:
  LocalRandomAccessFile(Descriptor fd, std::uint64_t size, std::string path)
      : fd_(std::move(fd)), size_(size), path_(std::move(path)) {}

  Result<std::size_t> ReadAt(std::uint64_t offset,
                             std::span<std::byte> out) const override {
    constexpr std::uint64_t kEnd = std::numeric_limits<off_t>::max();
    std::size_t done = 0;
    while (done < out.size() && offset <= kEnd - done) {
      const ssize_t count = Retry([&] {
        return ::pread(fd_.get(), out.data() + done, out.size() - done,
                       static_cast<off_t>(offset + done));
      });
      if (count < 0) return Failed("read", path_).At({.offset = offset + done});
      if (count == 0) break;
      done += static_cast<std::size_t>(count);
    }
    return done;
  }
  std::uint64_t StoredFrom(std::uint64_t offset) const override {
    if (offset > std::numeric_limits<off_t>::max()) return offset;
    // Reads name their offset, so the descriptor's own may move.
    const off_t found =
        ::lseek(fd_.get(), static_cast<off_t>(offset), SEEK_DATA);
    if (found >= 0) return static_cast<std::uint64_t>(found);
    // Nothing is stored from there on, unless the file has become shorter.
    const bool none = errno == ENXIO;
    struct stat now;
    const bool whole = ::fstat(fd_.get(), &now) == 0 &&
                       static_cast<std::uint64_t>(now.st_size) >= size_;
    return none && whole ? std::max(offset, size_) : offset;
  }
  bool IsAtHand(std::uint64_t offset) const override {
    if (offset > std::numeric_limits<off_t>::max()) return false;
    std::byte byte;
    const iovec room = {&byte, 1};
    return ::preadv2(fd_.get(), &room, 1, static_cast<off_t>(offset),
                     RWF_NOWAIT) == 1;
  }
  // The kernel keeps the bytes as long as it likes, in its own memory.
  std::shared_ptr<const void> ReadAhead(
      std::uint64_t offset, std::uint64_t size,
      std::uint64_t& /*room*/) const override {
    constexpr std::uint64_t kEnd = std::numeric_limits<off_t>::max();
    if (offset > kEnd || size > kEnd - offset) return nullptr;
    // A failure here comes again, with its error, where the bytes are read.
    static_cast<void>(::posix_fadvise(fd_.get(), static_cast<off_t>(offset),
                                      static_cast<off_t>(size),
                                      POSIX_FADV_WILLNEED));
    return nullptr;
  }
  std::uint64_t size() const override { return size_; }
  const std::string& path() const override { return path_; }

 private:
  Descriptor fd_;
  std::uint64_t size_;
  std::string path_;
};

class LocalWritableFile : public WritableFile {
 public:
  LocalWritableFile(Descriptor fd, std::string path)
      : fd_(std::move(fd)), path_(std::move(path)) {}

  Status Append(ByteView bytes) override {
    while (!bytes.empty()) {
      const ssize_t count =
          Retry([&] { return ::write(fd_.get(), bytes.data(), bytes.size()); });
      if (count < 0) return Failed("write", path_);
      bytes = bytes.subspan(static_cast<std::size_t>(count));
    }
    return Status();
  }
  Status Sync() override {
    if (Retry([&] { return ::fsync(fd_.get()); }) != 0) {
      return Failed("fsync", path_);
    }
    return Status();
  }
  Status Close() override {
    // An interrupted close has closed the descriptor on Linux.
    if (::close(fd_.Release()) != 0 && errno != EINTR) {
      return Failed("close", path_);
    }
    return Status();
  }
  const std::string& path() const override { return path_; }

 private:
  Descriptor fd_;
  std::string path_;
};

class LocalFileLock : public FileLock {
 public:
  // `owned`: where the file system knows no locks; null: it does.
  LocalFileLock(Descriptor fd, std::unique_ptr<OwnedFile> owned)
      : owned_(std::move(owned)), fd_(fd.Release()) {}

  std::string weakness() const override {
    return owned_ == nullptr ? "" : owned_->weakness();
  }
  bool IsAt(const std::string& path) const override {
    struct stat own;
    struct stat named;
    return ::fstat(fd_.get(), &own) == 0 &&
           ::lstat(PathOf(path), &named) == 0 && own.st_dev == named.st_dev &&
           own.st_ino == named.st_ino;
  }

 private:
  const std::unique_ptr<OwnedFile> owned_;
  const KeptFromChildren fd_;
};

// Errors of flock() where the file system, or a server behind it, has no locks.
bool HasNoLocks(int error) {
  return error == ENOSYS || error == ENOLCK || error == EOPNOTSUPP;
}

// The process that a lock file names; nullopt: the file has other contents,
// which stay. Empty: it names none.
std::optional<std::string> HolderIn(const Descriptor& fd) {
  char text[24] = {};
  const ssize_t size = ::pread(fd.get(), text, sizeof(text), 0);
  if (size == 0) return std::string();
  const std::string_view line(text, size < 0 ? 0 : static_cast<size_t>(size));
  if (line.empty() || line.find_first_not_of("0123456789") != line.size() - 1 ||
      !line.ends_with('\n')) {
    return std::nullopt;
  }
  return std::string(line.substr(0, line.size() - 1));
}

// Notes the holder for people that find the lock held.
void NoteHolder(const Descriptor& fd) {
  if (!HolderIn(fd)) return;
  const std::string text = std::to_string(::getpid()) + "\n";
  static_cast<void>(::ftruncate(fd.get(), 0) == 0 &&
                    ::pwrite(fd.get(), text.data(), text.size(), 0) > 0);
}

std::string WordsOfHolder(const Descriptor& fd) {
  const auto holder = HolderIn(fd);
  if (!holder || holder->empty()) return "another process has the lock";
  return "process " + *holder + " has the lock";
}

struct DirCloser {
  void operator()(DIR* directory) const { ::closedir(directory); }
};

FileKind KindOf(DIR* directory, const dirent& entry) {
  switch (entry.d_type) {
    case DT_REG:
      return FileKind::kRegular;
    case DT_DIR:
      return FileKind::kDirectory;
    case DT_LNK:
      return FileKind::kSymlink;
    case DT_UNKNOWN:
      break;
    default:
      return FileKind::kOther;
  }
  struct stat facts;
  // Some file systems do not tell the kind with the name.
  if (::fstatat(::dirfd(directory), entry.d_name, &facts,
                AT_SYMLINK_NOFOLLOW) != 0) {
    return FileKind::kOther;
  }
  return KindOf(facts.st_mode);
}

// No existing file is written to, nor a link's target: a file or link of that
// name that can be removed gives way to a new file. Anything else is opened as
// it is: a device takes bytes, a folder says why not.
Result<Descriptor> CreateDescriptor(const std::string& path) {
  // Another process may make the name again between unlink and open. The bound
  // makes the loop end, which is worth more than winning.
  constexpr int kAttempts = 100;
  for (int attempt = 1;; ++attempt) {
    Result<Descriptor> fd =
        OpenDescriptor(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW);
    if (fd.ok() || fd.status().system_error() != EEXIST) return fd;
    struct stat facts;
    if (::lstat(PathOf(path), &facts) != 0) {
      if (errno != ENOENT || attempt == kAttempts) return Failed("stat", path);
      continue;
    }
    if (!S_ISREG(facts.st_mode) && !S_ISLNK(facts.st_mode)) {
      return OpenDescriptor(path, O_WRONLY | O_NOFOLLOW);
    }
    if (attempt == kAttempts) return fd;
    if (::unlink(PathOf(path)) != 0 && errno != ENOENT) {
      return Failed("replace", path);
    }
  }
}

class LocalStorageImpl : public Storage {
 public:
  Result<std::unique_ptr<RandomAccessFile>> Open(
      const std::string& path) override {
    Result<Descriptor> fd = OpenDescriptor(path, O_RDONLY);
    if (!fd.ok()) {
      // The error of open() for a socket.
      if (fd.status().system_error() == ENXIO) return NotRegular(path);
      return std::move(fd).status();
    }
    SHARDINE_ASSIGN_OR_RETURN(const FileInfo info, StatDescriptor(*fd, path));
    if (info.kind != FileKind::kRegular) return NotRegular(path);
    return std::unique_ptr<RandomAccessFile>(
        std::make_unique<LocalRandomAccessFile>(*std::move(fd), info.size,
                                                path));
  }

  Result<std::unique_ptr<WritableFile>> Create(
      const std::string& path) override {
    SHARDINE_ASSIGN_OR_RETURN(Descriptor fd, CreateDescriptor(path));
    return std::unique_ptr<WritableFile>(
        std::make_unique<LocalWritableFile>(std::move(fd), path));
  }

  Result<std::unique_ptr<WritableFile>> OpenForAppend(
      const std::string& path) override {
    SHARDINE_ASSIGN_OR_RETURN(
        Descriptor fd, OpenDescriptor(path, O_WRONLY | O_CREAT | O_APPEND));
    return std::unique_ptr<WritableFile>(
        std::make_unique<LocalWritableFile>(std::move(fd), path));
  }

  Result<FileInfo> Stat(const std::string& path) override {
    SHARDINE_RETURN_IF_ERROR(CheckLocal(path));
    struct stat facts;
    if (::stat(PathOf(path), &facts) != 0) return Failed("stat", path);
    return InfoOf(facts);
  }

  Result<std::vector<DirEntry>> List(const std::string& directory) override {
    SHARDINE_RETURN_IF_ERROR(CheckLocal(directory));
    const std::unique_ptr<DIR, DirCloser> stream(::opendir(PathOf(directory)));
    if (stream == nullptr) return Failed("open directory", directory);
    std::vector<DirEntry> entries;
    for (;;) {
      errno = 0;
      const dirent* entry = ::readdir(stream.get());
      if (entry == nullptr) break;
      const std::string_view name = entry->d_name;
      if (name == "." || name == "..") continue;
      entries.push_back({std::string(name), KindOf(stream.get(), *entry)});
    }
    if (errno != 0) return Failed("read directory", directory);
    return entries;
  }

  Status CreateDirectories(const std::string& directory) override {
    SHARDINE_RETURN_IF_ERROR(CheckLocal(directory));
    const std::string parent = DirectoryOf(directory);
    int made = ::mkdir(PathOf(directory), 0777);
    if (made != 0 && errno == ENOENT && parent != directory) {
      SHARDINE_RETURN_IF_ERROR(CreateDirectories(parent));
      made = ::mkdir(PathOf(directory), 0777);
    }
    if (made == 0) return SyncNewDirectory(directory);
    const Status failed = Failed("create directory", directory);
    const Result<FileInfo> info = Stat(directory);
    const bool exists = info.ok() && info->kind == FileKind::kDirectory;
    return exists ? Status() : failed;
  }

  // A new directory is an entry of its parent: without a sync of that a power
  // cut may take it, with files in it that were synced. A parent that may be
  // written to but not read cannot be opened: then its file system is synced.
  Status SyncNewDirectory(const std::string& directory) {
    Status synced = SyncDirectory(DirectoryOf(directory));
    if (synced.system_error() != EACCES) return synced;
    return SyncFileSystem(directory);
  }

  Status Rename(const std::string& from, const std::string& to) override {
    SHARDINE_RETURN_IF_ERROR(CheckLocal(from));
    SHARDINE_RETURN_IF_ERROR(CheckLocal(to));
    if (::rename(PathOf(from), PathOf(to)) == 0) return Status();
    return Failed("rename to " + to, from);
  }

  Status RenameNew(const std::string& from, const std::string& to) override {
    SHARDINE_RETURN_IF_ERROR(CheckLocal(from));
    SHARDINE_RETURN_IF_ERROR(CheckLocal(to));
    if (::renameat2(AT_FDCWD, PathOf(from), AT_FDCWD, PathOf(to),
                    RENAME_NOREPLACE) == 0) {
      return Status();
    }
    // Some file systems cannot do it at once.
    if (errno == EINVAL || errno == ENOSYS) return Storage::RenameNew(from, to);
    if (errno == EEXIST) return Failed("rename to it", to);
    return Failed("rename to " + to, from);
  }

  Status Remove(const std::string& path) override {
    SHARDINE_RETURN_IF_ERROR(CheckLocal(path));
    if (::remove(PathOf(path)) == 0) return Status();
    return Failed("remove", path);
  }

  Status SyncDirectory(const std::string& directory) override {
    SHARDINE_ASSIGN_OR_RETURN(
        const Descriptor fd, OpenDescriptor(directory, O_RDONLY | O_DIRECTORY));
    if (Retry([&] { return ::fsync(fd.get()); }) == 0) return Status();
    // Some network file systems cannot sync a directory and say so.
    if (errno == EINVAL || errno == ENOTSUP) return Status();
    return Failed("fsync directory", directory);
  }

  // Linux reports failed writes of other files here, too, from 5.8 on.
  Status SyncFileSystem(const std::string& directory) override {
    SHARDINE_ASSIGN_OR_RETURN(
        const Descriptor fd, OpenDescriptor(directory, O_RDONLY | O_DIRECTORY));
    if (Retry([&] { return ::syncfs(fd.get()); }) == 0) return Status();
    return Failed("syncfs", directory);
  }

  Result<std::uint64_t> FreeBytes(const std::string& path) override {
    SHARDINE_RETURN_IF_ERROR(CheckLocal(path));
    struct statvfs facts;
    if (Retry([&] { return ::statvfs(PathOf(path), &facts); }) == 0) {
      // f_bavail, not f_bfree: a part of the disk may be kept for root.
      return std::uint64_t{facts.f_bavail} * facts.f_frsize;
    }
    const std::string parent = DirectoryOf(path);
    if (errno == ENOENT && parent != path) return FreeBytes(parent);
    return Failed("statvfs", path);
  }

  Result<std::unique_ptr<FileLock>> Lock(const std::string& path) override {
    for (int attempt = 0; attempt < 100; ++attempt) {
      SHARDINE_ASSIGN_OR_RETURN(
          Descriptor fd, OpenDescriptor(path, O_RDWR | O_CREAT | O_NOFOLLOW));
      std::unique_ptr<OwnedFile> owned;
      if (Retry([&] { return ::flock(fd.get(), LOCK_EX | LOCK_NB); }) != 0) {
        if (errno == EWOULDBLOCK) {
          return Status(Code::kAlreadyExists, WordsOfHolder(fd))
              .At({.path = path});
        }
        if (!HasNoLocks(errno)) return Failed("lock", path);
        SHARDINE_ASSIGN_OR_RETURN(owned, OwnedFile::Make(path + ".owner"));
      }
      SHARDINE_ASSIGN_OR_RETURN(const FileInfo locked,
                                StatDescriptor(fd, path));
      const Result<FileInfo> named = Stat(path);
      // The last holder may have removed or replaced the file between our open
      // and our lock: such a lock would exclude no process.
      if (named.ok() && named->inode == locked.inode &&
          named->device == locked.device) {
        NoteHolder(fd);
        return std::unique_ptr<FileLock>(
            std::make_unique<LocalFileLock>(std::move(fd), std::move(owned)));
      }
      if (!named.ok() && named.status().code() != Code::kNotFound) {
        return named.status();
      }
    }
    return Status(Code::kIo, "lock: the file is replaced again and again")
        .At({.path = path});
  }

  std::optional<std::string> NativePath(
      const std::string& path) const override {
    return path;
  }
};

}  // namespace

Storage& LocalStorage() {
  static constinit MadeOnce<LocalStorageImpl> storage;
  return storage.Get();
}

}  // namespace shardine
