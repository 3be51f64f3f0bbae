#include "io/local_storage.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "io/atomic_file.h"
#include "unit/io/storage_worlds.h"

namespace shardine::local_storage_test {
namespace {

// A device that says ENOSPC to every write; false where there is none.
bool HasFullDevice() { return ::access("/dev/full", W_OK) == 0; }

TEST_CASE("LocalStorage reports a full disk with file and errno",
          "[storage][local]") {
  if (!HasFullDevice()) {
    WARN("skipped: no /dev/full here");
    return;
  }
  auto file = LocalStorage().Create("/dev/full");
  REQUIRE(file.ok());
  const Status status = (*file)->Append(AsBytes("x"));
  CHECK(status.code() == Code::kIo);
  CHECK(status.system_error() == ENOSPC);
  CHECK(status.ToString() == "/dev/full: write: no space left on the disk");
}

// Whether the kernel has the bytes of the file in memory.
bool IsCached(const std::string& path, std::size_t size) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  REQUIRE(fd >= 0);
  void* const map = ::mmap(nullptr, size, PROT_READ, MAP_SHARED, fd, 0);
  ::close(fd);
  REQUIRE(map != MAP_FAILED);
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  std::vector<unsigned char> there((size + page - 1) / page);
  REQUIRE(::mincore(map, size, there.data()) == 0);
  ::munmap(map, size);
  return std::ranges::all_of(there, [](auto each) { return (each & 1) != 0; });
}

// Writes the file to the disk and has the kernel forget it.
void Forget(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  REQUIRE(fd >= 0);
  REQUIRE(::fsync(fd) == 0);
  REQUIRE(::posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED) == 0);
  ::close(fd);
}

// Whether reads that must not wait are known there: of a file just written.
bool LocalCanTell(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  REQUIRE(fd >= 0);
  REQUIRE(::write(fd, "x", 1) == 1);
  char byte = 0;
  const iovec room = {&byte, 1};
  const bool can_tell = ::preadv2(fd, &room, 1, 0, RWF_NOWAIT) == 1;
  ::close(fd);
  return can_tell;
}

TEST_CASE("LocalStorage reads ahead what it is told of", "[storage][local]") {
  constexpr std::size_t kSize = 1 << 20;
  LocalWorld world;
  auto made = LocalStorage().Create(world / "a");
  REQUIRE(made.ok());
  REQUIRE((*made)->Append(AsBytes(std::string(kSize, 'x'))).ok());
  REQUIRE((*made)->Close().ok());
  const auto file = LocalStorage().Open(world / "a");
  REQUIRE(file.ok());
  Forget(world / "a");
  if (IsCached(world / "a", kSize)) {
    WARN("skipped: this file system is in memory");
    return;
  }
  // Where the file system cannot tell, it never is.
  const bool can_tell = LocalCanTell(world / "b");
  // The kernel keeps pages for a while that it is just writing.
  for (int i = 0; i < 1'000 && (*file)->IsAtHand(0); ++i) Forget(world / "a");
  CHECK_FALSE((*file)->IsAtHand(0));
  std::uint64_t room = 0;  // no bytes of ours
  CHECK((*file)->ReadAhead(0, kSize, room) == nullptr);
  bool is_cached = false;
  for (int i = 0; i < 5'000 && !is_cached; ++i) {
    is_cached = IsCached(world / "a", kSize);
    ::usleep(1'000);
  }
  CHECK(is_cached);
  CHECK(room == 0);
  CHECK((*file)->IsAtHand(0) == can_tell);
  CHECK((*file)->IsAtHand(kSize - 1) == can_tell);
  CHECK_FALSE((*file)->IsAtHand(kSize));
  CHECK_FALSE((*file)->IsAtHand(~std::uint64_t{0}));
}

TEST_CASE("LocalStorage takes any place to read ahead", "[storage][local]") {
  LocalWorld world;
  auto made = LocalStorage().Create(world / "a");
  REQUIRE(made.ok());
  REQUIRE((*made)->Close().ok());
  const auto file = LocalStorage().Open(world / "a");
  REQUIRE(file.ok());
  const std::uint64_t most = ~std::uint64_t{0};
  for (const std::uint64_t offset : {std::uint64_t{0}, most / 2, most}) {
    for (const std::uint64_t size : {std::uint64_t{0}, most / 2, most}) {
      std::uint64_t room = 7;
      CHECK((*file)->ReadAhead(offset, size, room) == nullptr);
      CHECK(room == 7);
    }
  }
}

TEST_CASE("LocalStorage reports a sync that fails", "[storage][local]") {
  if (!HasFullDevice()) {
    WARN("skipped: no /dev/full here");
    return;
  }
  auto file = LocalStorage().Create("/dev/full");
  REQUIRE(file.ok());
  const Status status = (*file)->Sync();
  CHECK(status.system_error() == EINVAL);
  CHECK(status.where().path == "/dev/full");
  CHECK((*file)->Close().ok());
}

TEST_CASE("LocalStorage reports a close that fails, once", "[storage][local]") {
  LocalWorld world;
  auto file = LocalStorage().Create(world / "a");
  REQUIRE(file.ok());
  REQUIRE((*file)->Close().ok());
  const Status status = (*file)->Close();
  CHECK(status.system_error() == EBADF);
  CHECK(status.where().path == world / "a");
}

TEST_CASE("LocalStorage reports a write that is cut short",
          "[storage][local]") {
  LocalWorld world;
  auto file = LocalStorage().Create(world / "a");
  REQUIRE(file.ok());
  rlimit before = {};
  REQUIRE(::getrlimit(RLIMIT_FSIZE, &before) == 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small = {10, before.rlim_max};
  REQUIRE(::setrlimit(RLIMIT_FSIZE, &small) == 0);
  const Status status = (*file)->Append(AsBytes("0123456789abcdef"));
  ::setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  CHECK(status.system_error() == EFBIG);
  CHECK(status.where().path == world / "a");
  CHECK(Read(LocalStorage(), world / "a") == "0123456789");
}

TEST_CASE("LocalStorage tells what permissions forbid", "[storage][local]") {
  constexpr uid_t kNobody = 65534;
  LocalWorld world;
  Write(LocalStorage(), world / "a", "x");
  std::filesystem::permissions(world / "a", std::filesystem::perms::none);
  // Root may do everything, so it steps down for the call.
  const uid_t user = ::geteuid();
  if (user == 0 && ::seteuid(kNobody) != 0) {
    WARN("skipped: root here cannot become another user");
    return;
  }
  const Status opened = LocalStorage().Open(world / "a").status();
  CHECK(::seteuid(user) == 0);
  CHECK(opened.code() == Code::kIo);
  CHECK(opened.system_error() == EACCES);
  CHECK(opened.where().path == world / "a");
}

TEST_CASE("LocalStorage makes a folder in one that cannot be listed",
          "[storage][local]") {
  constexpr uid_t kNobody = 65534;
  LocalWorld world;
  REQUIRE(LocalStorage().CreateDirectories(world / "drop").ok());
  using std::filesystem::perms;
  std::filesystem::permissions(world / "drop", perms(0333));
  std::filesystem::permissions(world / "", perms(0755));
  const uid_t user = ::geteuid();
  if (user == 0 && ::seteuid(kNobody) != 0) {
    WARN("skipped: root here cannot become another user");
    return;
  }
  const Status listed = LocalStorage().List(world / "drop").status();
  const Status made = LocalStorage().CreateDirectories(world / "drop/a/b");
  CHECK(::seteuid(user) == 0);
  CHECK(listed.system_error() == EACCES);
  CHECK(made.ToString() == "OK");
  std::filesystem::permissions(world / "drop", perms(0755));
  CHECK(LocalStorage().Stat(world / "drop/a/b")->kind == FileKind::kDirectory);
}

TEST_CASE("A lock excludes other processes and dies with its own",
          "[storage][local]") {
  LocalWorld world;
  int ready[2];
  REQUIRE(::pipe(ready) == 0);
  const pid_t child = ::fork();
  if (child == 0) {
    const auto lock = LocalStorage().Lock(world / "lock");
    const char held = lock.ok() ? 'y' : 'n';
    static_cast<void>(::write(ready[1], &held, 1) == 1);
    for (;;) ::pause();
  }
  char held = '?';
  REQUIRE(::read(ready[0], &held, 1) == 1);
  CHECK(held == 'y');
  CHECK(LocalStorage().Lock(world / "lock").status().code() ==
        Code::kAlreadyExists);
  ::kill(child, SIGKILL);
  CHECK(::waitpid(child, nullptr, 0) == child);
  CHECK(LocalStorage().Lock(world / "lock").ok());
  ::close(ready[0]);
  ::close(ready[1]);
}

TEST_CASE("LocalStorage refuses a socket as no regular file",
          "[storage][local]") {
  LocalWorld world;
  const std::string path = world / "socket";
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  REQUIRE(path.size() < sizeof(address.sun_path));
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  const int fd = ::socket(AF_UNIX, SOCK_STREAM, 0);
  REQUIRE(fd >= 0);
  REQUIRE(::bind(fd, reinterpret_cast<const sockaddr*>(&address),
                 sizeof(address)) == 0);
  CHECK(LocalStorage().Open(path).status().code() == Code::kUnsupported);
  ::close(fd);
}

TEST_CASE("LocalStorage refuses a device as no regular file",
          "[storage][local]") {
  CHECK(LocalStorage().Open("/dev/null").status().code() == Code::kUnsupported);
}

TEST_CASE("LocalStorage notices a file that was cut while open",
          "[storage][local]") {
  LocalWorld world;
  Write(LocalStorage(), world / "a", "0123456789");
  const auto file = LocalStorage().Open(world / "a");
  REQUIRE(file.ok());
  std::filesystem::resize_file(world / "a", 4);
  CHECK((*file)->size() == 10);
  std::byte out[10];
  CHECK((*file)->ReadExactly(0, out).code() == Code::kCorrupt);
}

TEST_CASE("LocalStorage hands files to no child process", "[storage][local]") {
  LocalWorld world;
  Write(LocalStorage(), world / "a", "x");
  const auto file = LocalStorage().Open(world / "a");
  const auto lock = LocalStorage().Lock(world / "lock");
  REQUIRE((file.ok() && lock.ok()));
  const std::string list =
      "ls -l /proc/self/fd | grep -q -F '" + (world / "") + "'";
  CHECK(std::system(list.c_str()) != 0);
}

TEST_CASE("LocalStorage takes paths relative to the working directory",
          "[storage][local]") {
  LocalWorld world;
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(world / "");
  CHECK(LocalStorage().CreateDirectories("d/e").ok());
  Write(LocalStorage(), "d/e/a", "x");
  const std::string read = Read(LocalStorage(), "d/e/a");
  const bool synced = LocalStorage().SyncDirectory(DirectoryOf("a")).ok();
  std::filesystem::current_path(before);
  CHECK(read == "x");
  CHECK(synced);
}

TEST_CASE("Local storage takes no remote address for a path", "[storage]") {
  Storage& storage = LocalStorage();
  for (const std::string path : {"az://bucket", "az://bucket/a/b", "az://b/x",
                                 "https://example.org/x.tar", "a+b-c.1://x"}) {
    INFO(path);
    const Status refused[] = {storage.Open(path).status(),
                              storage.Create(path).status(),
                              storage.OpenForAppend(path).status(),
                              storage.Stat(path).status(),
                              storage.List(path).status(),
                              storage.CreateDirectories(path),
                              storage.Rename(path, "x"),
                              storage.Rename("x", path),
                              storage.Remove(path),
                              storage.SyncDirectory(path),
                              storage.FreeBytes(path).status(),
                              storage.Lock(path).status(),
                              WriteFileAtomically(storage, path, {})};
    for (const Status& status : refused) {
      CHECK(status.code() == Code::kUnsupported);
      CHECK(status.message() == (path.starts_with("http")
                                     ? "is on a server, not on this machine"
                                     : "of remote storage only s3://, gs://, "
                                       "http:// and https:// are read yet"));
      CHECK(status.where().path.find("://") != std::string::npos);
    }
  }
  CHECK(storage.Stat("file:///tmp").status().message() ==
        "paths of local files are given without file://");
  for (const char* path : {"./gs://b", "1s://x", "://x", "a b://x", "s3:/b"}) {
    INFO(path);
    CHECK(storage.Stat(path).status().code() == Code::kNotFound);
  }
}

}  // namespace
}  // namespace shardine::local_storage_test
