#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <string>

#include "io/storage.h"
#include "unit/io/storage_worlds.h"

namespace shardine {
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
  CHECK(status.ToString() == "/dev/full: write: No space left on device");
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

TEST_CASE("LocalStorage tells what permissions forbid", "[storage][local]") {
  if (::geteuid() == 0) {
    WARN("skipped: root may do everything");
    return;
  }
  LocalWorld world;
  Write(LocalStorage(), world / "a", "x");
  std::filesystem::permissions(world / "a", std::filesystem::perms::none);
  const Status status = LocalStorage().Open(world / "a").status();
  CHECK(status.code() == Code::kIo);
  CHECK(status.system_error() == EACCES);
  CHECK(status.where().path == world / "a");
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

}  // namespace
}  // namespace shardine
