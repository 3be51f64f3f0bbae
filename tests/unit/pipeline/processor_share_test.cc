#include "pipeline/processor_share.h"

#include <sched.h>
#include <stdlib.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "support/temp_directory.h"

namespace shardine::processor_share_test {
namespace {

// A machine's /proc and /sys, as far as they matter.
class FakeRoot {
 public:
  void Write(const std::string& path, const std::string& text) const {
    const std::filesystem::path file = root_.path() + path;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }
  void Group(const std::string& lines) const {
    Write("/proc/self/cgroup", lines);
  }
  void Mounts(const std::string& lines) const {
    Write("/proc/self/mountinfo",
          "22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw\n" + lines);
  }
  std::optional<double> Quota() const { return CgroupQuota(root_.path()); }

 private:
  TempDirectory root_;
};

constexpr char kV2[] =
    "29 22 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw\n";

TEST_CASE("A share is what the process may run on, by its ranks",
          "[pipeline][share]") {
  CHECK(ShareOf({.own = 16, .parent = 16}) == 16);
  CHECK(ShareOf({.own = 16, .parent = 16, .local_ranks = 4}) == 4);
  CHECK(ShareOf({.own = 16, .parent = 16, .local_ranks = 5}) == 3);
  CHECK(ShareOf({.own = 2, .parent = 2, .local_ranks = 8}) == 1);
  CHECK(ShareOf({.own = 4, .parent = 1}) == 4);
}

TEST_CASE("A rank bound to processors of its own has all of them",
          "[pipeline][share]") {
  CHECK(ShareOf({.own = 8, .parent = 64, .local_ranks = 8}) == 8);
  CHECK(ShareOf({.own = 32, .parent = 64, .local_ranks = 4}) == 16);
  CHECK(ShareOf({.own = 1, .parent = 64, .local_ranks = 4}) == 1);
}

TEST_CASE("A share is no more than a quota, rounded up to whole threads",
          "[pipeline][share]") {
  CHECK(ShareOf({.own = 16, .parent = 16, .quota = 4}) == 4);
  CHECK(ShareOf({.own = 16, .parent = 16, .quota = 2.5}) == 3);
  CHECK(ShareOf({.own = 16, .parent = 16, .quota = 0.1}) == 1);
  CHECK(ShareOf({.own = 16, .parent = 16, .quota = 1e9}) == 16);
  CHECK(ShareOf({.own = 2, .parent = 2, .quota = 4}) == 2);
  CHECK(ShareOf({.own = 16, .parent = 16, .quota = 8, .local_ranks = 4}) == 2);
}

TEST_CASE("A quota of version 2 is the least on the way up",
          "[pipeline][share]") {
  const FakeRoot root;
  root.Group("0::/job/step\n");
  root.Mounts(kV2);
  CHECK(root.Quota() == std::nullopt);
  root.Write("/sys/fs/cgroup/job/step/cpu.max", "max 100000\n");
  CHECK(root.Quota() == std::nullopt);
  root.Write("/sys/fs/cgroup/job/cpu.max", "400000 100000\n");
  CHECK(root.Quota() == 4);
  root.Write("/sys/fs/cgroup/job/step/cpu.max", "75000 50000\n");
  CHECK(root.Quota() == 1.5);
  root.Write("/sys/fs/cgroup/cpu.max", "50000 100000\n");
  CHECK(root.Quota() == 0.5);
}

TEST_CASE("A container that sees its own group alone finds its quota",
          "[pipeline][share]") {
  const FakeRoot root;
  root.Group("0::/\n");
  root.Mounts(kV2);
  root.Write("/sys/fs/cgroup/cpu.max", "200000 100000\n");
  CHECK(root.Quota() == 2);
  root.Group("0::/../../elsewhere\n");
  CHECK(root.Quota() == 2);
}

TEST_CASE("A quota of version 1 is that of the hierarchy that has cpu",
          "[pipeline][share]") {
  const FakeRoot root;
  root.Group(
      "5:cpuset:/docker/a\n4:cpu,cpuacct:/docker/a\n1:name=systemd:/other\n");
  root.Mounts(
      "30 29 0:27 /docker/a /sys/fs/cgroup/cpuset ro - cgroup cgroup "
      "rw,cpuset\n"
      "31 29 0:28 /docker/a /sys/fs/cgroup/cpu,cpuacct ro - cgroup cgroup "
      "rw,cpu,cpuacct\n");
  const std::string folder = "/sys/fs/cgroup/cpu,cpuacct/";
  root.Write(folder + "cpu.cfs_quota_us", "-1\n");
  root.Write(folder + "cpu.cfs_period_us", "100000\n");
  CHECK(root.Quota() == std::nullopt);
  root.Write(folder + "cpu.cfs_quota_us", "350000\n");
  CHECK(root.Quota() == 3.5);
}

TEST_CASE("With both versions mounted the lower quota counts",
          "[pipeline][share]") {
  const FakeRoot root;
  root.Group("1:cpu:/\n0::/job\n");
  root.Mounts(std::string(kV2) +
              "31 29 0:28 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n");
  root.Write("/sys/fs/cgroup/job/cpu.max", "300000 100000\n");
  CHECK(root.Quota() == 3);
  root.Write("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "200000\n");
  root.Write("/sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
  CHECK(root.Quota() == 2);
}

TEST_CASE("Files that say nothing of a quota are no limit",
          "[pipeline][share]") {
  for (const char* const text :
       {"", "\n", "max\n", "100000\n", "x y\n", "0 100000\n", "100000 0\n",
        "-5 100000\n", "nan 100000\n", "1e999 100000\n", "1 2 3\n"}) {
    const FakeRoot root;
    root.Group("0::/job\nno colons\n:\n");
    root.Mounts(std::string("short line\n- - -\n") + kV2);
    root.Write("/sys/fs/cgroup/job/cpu.max", text);
    INFO(text);
    CHECK(root.Quota() == std::nullopt);
  }
  CHECK(CgroupQuota("/nowhere") == std::nullopt);
}

// Restores the earlier processors.
class OneProcessor {
 public:
  OneProcessor() {
    REQUIRE(::sched_getaffinity(0, sizeof(before_), &before_) == 0);
    cpu_set_t one;
    CPU_ZERO(&one);
    for (int i = 0; i < CPU_SETSIZE && CPU_COUNT(&one) == 0; ++i) {
      if (CPU_ISSET(i, &before_)) CPU_SET(i, &one);
    }
    REQUIRE(::sched_setaffinity(0, sizeof(one), &one) == 0);
  }
  ~OneProcessor() { ::sched_setaffinity(0, sizeof(before_), &before_); }

 private:
  cpu_set_t before_;
};

TEST_CASE("ThreadCount of nothing is the share of this process",
          "[pipeline][share]") {
  CHECK(ThreadCount(5) == 5);
  CHECK(ThreadCount(0) == ShareOf(FindProcessorFacts()));
  const unsigned all = FindProcessorFacts().own;
  {
    const OneProcessor bound;
    CHECK(FindProcessorFacts().own == 1);
    CHECK(FindProcessorFacts().parent >= 1);
    CHECK(ThreadCount(0) == 1);
    CHECK(ThreadCount(3) == 3);
  }
  CHECK(FindProcessorFacts().own == all);
}

TEST_CASE("LOCAL_WORLD_SIZE says how many share the machine",
          "[pipeline][share]") {
  ::setenv("LOCAL_WORLD_SIZE", "1000000", 1);
  CHECK(FindProcessorFacts().local_ranks == 1000000);
  CHECK(ThreadCount(0) == 1);
  for (const char* const nonsense : {"", "0", "-2", "two", "2x"}) {
    ::setenv("LOCAL_WORLD_SIZE", nonsense, 1);
    CHECK(FindProcessorFacts().local_ranks == 1);
  }
  ::unsetenv("LOCAL_WORLD_SIZE");
  CHECK(FindProcessorFacts().local_ranks == 1);
}

}  // namespace
}  // namespace shardine::processor_share_test
