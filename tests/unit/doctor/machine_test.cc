#include "shardine/machine.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>

#include "doctor/mounted_folder.h"
#include "shardine/version.h"
#include "support/temp_directory.h"

namespace shardine::machine_test {
namespace {

constexpr char kMounts[] =
    "22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw\n"
    "23 22 8:2 / /data rw - xfs /dev/sdb1 rw\n"
    "24 23 0:40 / /data/my\\040set rw,noatime master:1 shared:2 - nfs4 host:/ "
    "rw\n"
    "25 22 0:41 / /data rw - btrfs /dev/sdc1 rw\n"
    "cut short\n";

TEST_CASE("A file system is that of the longest mount point above a path",
          "[doctor][machine]") {
  CHECK(FileSystemOf(kMounts, "/home") == "ext4");
  CHECK(FileSystemOf(kMounts, "/database") == "ext4");
  CHECK(FileSystemOf(kMounts, "/data/my set/train") == "nfs4");
  CHECK(FileSystemOf("", "/home").empty());
}

TEST_CASE("Of two file systems at one mount point the last is in use",
          "[doctor][machine]") {
  CHECK(FileSystemOf(kMounts, "/data") == "btrfs");
}

TEST_CASE("A folder that does not exist has the room of the one above it",
          "[doctor][machine]") {
  const TempDirectory temp;
  const MachineFolder above = DescribeFolder("cache", temp.path());
  const MachineFolder folder = DescribeFolder("cache", temp.path() + "/a/b/");
  CHECK(above.exists);
  CHECK_FALSE(folder.exists);
  CHECK(folder.path == temp.path() + "/a/b");
  CHECK(folder.bytes == above.bytes);
  CHECK(folder.bytes >= folder.free);
  CHECK(folder.bytes > 0);
  CHECK(folder.file_system == above.file_system);
}

TEST_CASE("A machine has all that a bug report asks for", "[doctor][machine]") {
  const Machine machine = DescribeMachine();
  CHECK(machine.version == Version());
  CHECK(machine.system.starts_with("Linux "));
  CHECK_FALSE(machine.simd.empty());
  CHECK(machine.threads >= 1);
  CHECK(machine.threads <= machine.processors);
  CHECK(std::ranges::is_sorted(machine.libraries));
  for (const char* name : {"zlib ", "zstd ", "libjpeg-turbo ", "libpng "}) {
    CHECK(std::ranges::any_of(machine.libraries, [&](const auto& library) {
      return library.starts_with(name);
    }));
  }
  REQUIRE_FALSE(machine.folders.empty());
  CHECK(machine.folders.front().path ==
        std::filesystem::current_path().string());
}

}  // namespace
}  // namespace shardine::machine_test
