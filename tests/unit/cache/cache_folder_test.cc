#include "cache/cache_folder.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "base/checksum.h"
#include "cache/companion_files.h"
#include "io/memory_storage.h"
#include "support/temp_directory.h"

namespace shardine::cache_folder_test {
namespace {

namespace fs = std::filesystem;

// Nothing is in use for long, and the disk may be full otherwise.
CacheLimits Limits(std::uint64_t bytes = 1 << 20) {
  return {.bytes = bytes,
          .holds_payloads = true,
          .reserve_percent = 0,
          .in_use = std::chrono::seconds(-60)};
}

std::shared_ptr<CacheFolder> Opened(const std::string& path,
                                    const CacheLimits& limits = Limits()) {
  auto folder = CacheFolder::Open(path, limits);
  REQUIRE(folder.status().ToString() == "OK");
  return *folder;
}

Status Refused(const std::string& path) {
  return CacheFolder::Open(path, Limits()).status();
}

std::string NameOf(int number) {
  return CacheName(
      CachedKind::kPayload,
      {"s3://data/x.rec", 1, {static_cast<std::uint64_t>(number)}});
}

mode_t ModeOf(const std::string& path) {
  struct stat facts;
  REQUIRE(::stat(path.c_str(), &facts) == 0);
  return facts.st_mode & 0777;
}

void Age(const std::string& path, int seconds) {
  struct timespec times[2] = {{::time(nullptr) - seconds, 0},
                              {::time(nullptr) - seconds, 0}};
  REQUIRE(::utimensat(AT_FDCWD, path.c_str(), times, 0) == 0);
}

TEST_CASE("A cache folder is made for its user alone", "[cache_folder]") {
  const TempDirectory directory;
  const std::string path = directory / "a/b";
  const auto folder = Opened(path);
  CHECK(ModeOf(path) == 0700);
  const CacheDescriptor file = folder->FindOrMake(NameOf(1));
  REQUIRE(file);
  CHECK(ModeOf(path + "/" + NameOf(1)) == 0600);
  CHECK(ModeOf(path + "/CACHEDIR.TAG") == 0600);
  // The next opening recognizes it.
  CHECK(Opened(path)->List().size() == 1);
}

TEST_CASE("A cache folder is none of others'", "[cache_folder]") {
  const TempDirectory directory;
  const auto put = [&](const std::string& name, const std::string& text) {
    fs::create_directories(fs::path(directory / name).parent_path());
    std::ofstream(directory / name) << text;
  };
  put("data/shardine.json", "{}");
  put("home/.profile", "");
  put("tagged/CACHEDIR.TAG", "Signature: 8a477f597d28d172789f06886806bc55\n");
  put("mixed/" + NameOf(1), "");
  put("file", "");
  for (const char* name : {"data", "home", "tagged", "mixed", "file"}) {
    const Status status = Refused(directory / name);
    CHECK(status.code() == Code::kInvalidArgument);
    CHECK(status.where().path == directory / name);
  }
  CHECK(Refused("/").message().find("root of a disk") != std::string::npos);
  CHECK(Refused("s3://bucket/cache").code() == Code::kInvalidArgument);
  // A dataset that was put there later.
  REQUIRE(Refused(directory / "own").ok());
  put("own/shardine.json", "{}");
  CHECK(Refused(directory / "own").message().find("dataset") !=
        std::string::npos);
}

TEST_CASE("A cache folder refuses a home", "[cache_folder]") {
  const TempDirectory directory;
  const std::string home = directory / "home";
  fs::create_directories(home);
  const char* const before = std::getenv("HOME");
  const std::string old = before == nullptr ? "" : before;
  ::setenv("HOME", home.c_str(), 1);
  CHECK(Refused(home).message().find("your home") != std::string::npos);
  ::setenv("HOME", old.c_str(), 1);
  CHECK(Refused(home).ok());
}

TEST_CASE("A name in the cache is of one content of one server",
          "[cache_folder]") {
  const auto name = [](const std::string& path, std::uint64_t digest) {
    return CacheName(CachedKind::kCompanion, {path, 1, {digest}});
  };
  CHECK(name("s3://a/x/1.sdx", 1) == name("s3://a/y/2.sdx", 1));
  CHECK(name("s3://a/x", 1) != name("s3://b/x", 1));
  CHECK(name("s3://a/x", 1) != name("s3://a/x", 2));
  CHECK(name("http://a:1/x", 1) != name("http://a%3a1/x", 1));
  CHECK(name("http://" + std::string(300, 'a') + "/x", 1).empty());
  CHECK(KindOfCacheName(name("http://h/x", 1)) == CachedKind::kCompanion);
  const auto own = [](const std::string& path, const std::string& address) {
    return CacheName(CachedKind::kPayload, {path, 1, {1}, address});
  };
  CHECK(own("http://a/x", "") != own("http://a/y", ""));
  CHECK(own("http://a/x", "") == own("http://a/x", "http://a/x"));
  const auto proved = [](const std::string& address) {
    return ProvedCacheName({"s3://a/x", 1, {1}, address});
  };
  CHECK(proved("s3://a/x") == proved("s3://a/y/z"));
  CHECK(proved("s3://a/x") != proved("http://h:1/ s3://a/x"));
  CHECK(proved("http://h:1/ s3://a/x") != proved("http://h:2/ s3://a/x"));
  CHECK(proved("http://h:1/p s3://a/x") == proved("http://h:1/p s3://a/y"));
  CHECK(KindOfCacheName(proved("s3://a/x")) == CachedKind::kPayload);
  CHECK(KindOfCacheName(NameOf(1) + ".part") == CachedKind::kPayload);
  for (const std::string& other :
       {std::string(), std::string(".side"), std::string("x.data"),
        std::string(32, '0') + ".data", std::string("CACHEDIR.TAG"),
        std::string(32, '0') + "-a/b.data", std::string(32, 'G') + "-.data"}) {
    CHECK(!KindOfCacheName(other));
  }
}

TEST_CASE("A cache folder removes what was not used for longest",
          "[cache_folder]") {
  const TempDirectory directory;
  const std::string path = directory / "c";
  const auto folder = Opened(path);
  std::ofstream(path + "/mine.txt") << std::string(1 << 20, 'x');
  const std::string bytes(100'000, 'x');
  for (int i = 0; i < 9; ++i) {
    REQUIRE(folder->MakeRoom(bytes.size()));
    const CacheDescriptor file = folder->FindOrMake(NameOf(i));
    REQUIRE(folder->Write(file, 0, AsBytes(bytes)));
    folder->EndWrite(bytes.size());
    Age(path + "/" + NameOf(i), i == 0 ? 500 : 1000 - i);
  }
  REQUIRE(folder->MakeRoom(200'000));
  CHECK(folder->Find(NameOf(0)));
  CHECK(!folder->Find(NameOf(1)));
  CHECK(!folder->Find(NameOf(2)));
  CHECK(folder->Find(NameOf(8)));
  CHECK(fs::exists(path + "/mine.txt"));
  // Files in use stay, and there is no room.
  CacheLimits limits = Limits();
  limits.in_use = std::chrono::hours(1);
  const auto other = Opened(path, limits);
  CHECK(!other->MakeRoom(900'000));
  CHECK(other->List().size() == 7);
  // A disk that is to stay wholly free has no room either.
  limits = Limits();
  limits.reserve_percent = 100;
  CHECK(!Opened(path, limits)->MakeRoom(1));
}

// Concurrency review 13.
TEST_CASE("A file used by a clock that was ahead is the oldest",
          "[cache_folder]") {
  const TempDirectory directory;
  const std::string path = directory / "c";
  const auto folder = Opened(path);
  const std::string bytes(300'000, 'x');
  for (int i = 0; i < 3; ++i) {
    REQUIRE(folder->MakeRoom(bytes.size()));
    const CacheDescriptor file = folder->FindOrMake(NameOf(i));
    REQUIRE(folder->Write(file, 0, AsBytes(bytes)));
    folder->EndWrite(bytes.size());
    Age(path + "/" + NameOf(i), i == 1 ? -3'000'000 : 1000 - i);
  }
  CacheLimits limits = Limits();
  limits.in_use = std::chrono::minutes(1);
  REQUIRE(Opened(path, limits)->MakeRoom(200'000));
  CHECK(folder->Find(NameOf(0)));
  CHECK(!folder->Find(NameOf(1)));
  CHECK(folder->Find(NameOf(2)));
}

TEST_CASE("A companion is kept, and read from there the next time",
          "[cache_folder]") {
  const TempDirectory directory;
  const std::string path = directory / "c";
  const std::string contents(70'000, 's');
  const KnownFile known{"s3://b/a.sdx", contents.size(),
                        Xxh3_128(AsBytes(contents))};
  const std::string name =
      path + "/" + CacheName(CachedKind::kCompanion, known);
  MemoryStorage full;
  full.Put(known.path, contents);
  MemoryStorage empty;
  const auto folder = Opened(path);
  const auto read = [&](ReadableStorage& storage) {
    const auto file = CompanionFiles(folder).Open(storage, known);
    if (!file.ok()) return file.status().ToString();
    std::string bytes((*file)->size(), '\0');
    REQUIRE(
        (*file)->ReadExactly(0, std::as_writable_bytes(std::span(bytes))).ok());
    return bytes;
  };
  CHECK(read(empty) != contents);
  CHECK(read(full) == contents);
  CHECK(read(empty) == contents);
  SECTION("One that was damaged or cut is fetched again") {
    for (const bool cut : {false, true}) {
      std::fstream file(name, std::ios::in | std::ios::out);
      file.seekp(500).put('x');
      file.close();
      if (cut) fs::resize_file(name, 400);
      CHECK(read(empty) != contents);
      CHECK(!fs::exists(name));
      CHECK(read(full) == contents);
      CHECK(read(empty) == contents);
    }
  }
  SECTION("What a process left that died is written over") {
    fs::remove(name);
    std::ofstream(name + ".part") << "part";
    CHECK(read(full) == contents);
    CHECK(!fs::exists(name + ".part"));
  }
  SECTION("While another process writes it, it is in memory") {
    fs::remove(name);
    const CacheDescriptor part =
        Opened(path)->BeginPart(CacheName(CachedKind::kCompanion, known));
    REQUIRE(part);
    CHECK(read(full) == contents);
    CHECK(!fs::exists(name));
  }
  SECTION("A link is not followed") {
    fs::rename(name, directory / "other");
    fs::create_symlink(directory / "other", name);
    CHECK(read(empty) != contents);
    CHECK(read(full) == contents);
  }
  SECTION("Wrong bytes of a server are not kept") {
    fs::remove(name);
    full.Put(known.path, std::string(contents.size(), 'x'));
    CHECK(read(full).find("XXH3-128") != std::string::npos);
    CHECK(folder->List().empty());
  }
}

TEST_CASE("Threads make a cache together", "[cache]") {
  const TempDirectory directory;
  std::atomic<int> opened = 0;
  constexpr int kFolders = 200;
  constexpr int kThreads = 4;
  for (int i = 0; i < kFolders; ++i) {
    const std::string path = directory / std::to_string(i);
    std::vector<std::jthread> threads;
    for (int t = 0; t < kThreads; ++t) {
      threads.emplace_back([&] {
        if (CacheFolder::Open(path, Limits()).ok()) ++opened;
      });
    }
    threads.clear();
    // The tag, and no part of one.
    CHECK(std::distance(fs::directory_iterator(path), {}) == 1);
  }
  CHECK(opened == kFolders * kThreads);
}

}  // namespace
}  // namespace shardine::cache_folder_test
