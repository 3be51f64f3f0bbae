#include "cache/kept_scan.h"

#include <sys/stat.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "support/temp_directory.h"

namespace shardine::kept_scan_test {
namespace {

std::shared_ptr<CacheFolder> Opened(const std::string& path) {
  const auto folder = CacheFolder::Open(path, {});
  REQUIRE(folder.ok());
  return *folder;
}

// Uses or makes "found", which takes a while.
ScanUse UseOnce(CacheFolder& folder, const std::string& name,
                std::atomic<int>& scans, std::chrono::milliseconds pause = {}) {
  const ScanSteps steps{[](ByteView bytes) { return AsText(bytes) == "found"; },
                        [&]() -> Result<std::string> {
                          ++scans;
                          std::this_thread::sleep_for(pause);
                          return std::string("found");
                        }};
  const auto used = UseOrScan(folder, name, steps, {});
  return used.ok() ? *used : ScanUse::kNotKept;
}

TEST_CASE("One of several openings scans, the others wait", "[kept_scan]") {
  const TempDirectory directory;
  const std::string name = ScanCacheName({1, 2});
  REQUIRE(KindOfCacheName(name) == CachedKind::kCompanion);
  std::atomic<int> scans = 0;
  std::atomic<int> found = 0;
  std::vector<std::jthread> openings;
  for (int i = 0; i < 4; ++i) {
    openings.emplace_back([&] {
      const auto folder = CacheFolder::Open(directory / "cache", {});
      constexpr std::chrono::milliseconds kPause(1500);
      if (folder.ok() &&
          UseOnce(**folder, name, scans, kPause) == ScanUse::kFound) {
        ++found;
      }
    });
  }
  openings.clear();
  CHECK(scans == 1);
  CHECK(found == 3);
}

TEST_CASE("A kept scan that is damaged or open to others is made again",
          "[kept_scan]") {
  const TempDirectory directory;
  const auto folder = Opened(directory / "cache");
  const std::string name = ScanCacheName({1, 2});
  const std::string path = directory / ("cache/" + name);
  std::atomic<int> scans = 0;
  REQUIRE(UseOnce(*folder, name, scans) == ScanUse::kKept);
  REQUIRE(UseOnce(*folder, name, scans) == ScanUse::kFound);
  REQUIRE(IsSoundScan(*folder, name));
  SECTION("a flipped bit") {
    std::fstream(path, std::ios::in | std::ios::out) << 'g';
  }
  SECTION("cut off") { REQUIRE(::truncate(path.c_str(), 10) == 0); }
  SECTION("others may write") { REQUIRE(::chmod(path.c_str(), 0666) == 0); }
  CHECK_FALSE(IsSoundScan(*folder, name));
  CHECK(UseOnce(*folder, name, scans) == ScanUse::kKept);
  CHECK(scans == 2);
  CHECK(UseOnce(*folder, name, scans) == ScanUse::kFound);
}

TEST_CASE("A scan that fails is not kept, and the next one scans",
          "[kept_scan]") {
  const TempDirectory directory;
  const auto folder = Opened(directory / "cache");
  const std::string name = ScanCacheName({1, 2});
  const ScanSteps fails{
      [](ByteView) { return true; },
      []() -> Result<std::string> { return Status(Code::kCorrupt, "torn"); }};
  CHECK(UseOrScan(*folder, name, fails, {}).status().code() == Code::kCorrupt);
  CHECK(folder->List().empty());
}

}  // namespace
}  // namespace shardine::kept_scan_test
