#include "cache/cached_shard.h"

#include <catch2/catch.hpp>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "base/checksum.h"
#include "cache/block_file.h"
#include "io/memory_storage.h"
#include "io/read_many.h"
#include "shardine/cache.h"
#include "support/draws.h"
#include "support/storage_over.h"
#include "support/temp_directory.h"

namespace shardine::cached_shard_test {
namespace {

constexpr std::uint64_t kBlock = BlockFile::kBlock;

// Counts the bytes that are read of its files.
class CountingStorage : public StorageOver {
 public:
  explicit CountingStorage(ReadableStorage& below) : StorageOver(below) {}
  Result<std::unique_ptr<RandomAccessFile>> Open(
      const std::string& path) override;
  std::uint64_t opened = 0;
  std::uint64_t bytes = 0;
};

class CountedFile : public RandomAccessFile {
 public:
  CountedFile(std::unique_ptr<RandomAccessFile> file, CountingStorage& storage)
      : file_(std::move(file)), storage_(storage) {}
  Result<std::size_t> ReadAt(std::uint64_t offset,
                             std::span<std::byte> out) const override {
    storage_.bytes += out.size();
    return file_->ReadAt(offset, out);
  }
  std::uint64_t size() const override { return file_->size(); }
  const std::string& path() const override { return file_->path(); }

 private:
  const std::unique_ptr<RandomAccessFile> file_;
  CountingStorage& storage_;
};

Result<std::unique_ptr<RandomAccessFile>> CountingStorage::Open(
    const std::string& path) {
  ++opened;
  auto file = below().Open(path);
  if (!file.ok()) return file;
  return std::unique_ptr<RandomAccessFile>(
      std::make_unique<CountedFile>(*std::move(file), *this));
}

struct World {
  World() : storage(below) {
    for (std::size_t i = 0; i < contents.size(); ++i) {
      contents[i] = static_cast<char>(i * i >> 7);
    }
    below.Put(known.path, contents);
    known.bytes = contents.size();
    known.digest = Xxh3_128(AsBytes(contents));
    limits = {.bytes = 1 << 20,
              .holds_payloads = true,
              .reserve_percent = 0,
              .in_use = std::chrono::minutes(10)};
  }
  std::unique_ptr<RandomAccessFile> Open() { return Open(known); }
  std::unique_ptr<RandomAccessFile> Open(const KnownFile& shard) {
    auto folder = CacheFolder::Open(directory / "c", limits);
    REQUIRE(folder.status().ToString() == "OK");
    auto file = OpenCachedShard(*folder, storage, shard);
    REQUIRE(file.status().ToString() == "OK");
    return *std::move(file);
  }
  bool Reads(const RandomAccessFile& file, std::uint64_t offset,
             std::size_t size) {
    std::string bytes(size, '?');
    const Status status =
        file.ReadExactly(offset, std::as_writable_bytes(std::span(bytes)));
    return status.ok() && bytes == contents.substr(offset, size);
  }
  std::string Proved() { return directory / "c/" + ProvedCacheName(known); }
  std::string Kept() {
    if (std::filesystem::exists(Proved())) return Proved();
    return directory / "c/" + CacheName(CachedKind::kPayload, known);
  }
  // The same shard at another address, where its bytes may be others.
  KnownFile Mirror(const std::string& path, const std::string& bytes) {
    below.Put(path, bytes);
    KnownFile mirror = known;
    mirror.path = path;
    return mirror;
  }
  std::uint64_t TakeBytes() { return std::exchange(storage.bytes, 0); }

  const TempDirectory directory;
  MemoryStorage below;
  CountingStorage storage;
  std::string contents = std::string(kBlock * 10 + 100, '\0');
  KnownFile known{"s3://b/x.rec", 0, {}};
  CacheLimits limits;
};

TEST_CASE("A cached shard is read of the server once", "[cached_shard]") {
  World world;
  {
    const auto file = world.Open();
    CHECK(world.Reads(*file, 100, 10));
    CHECK(world.TakeBytes() == kBlock);
    CHECK(world.Reads(*file, kBlock - 50, 100));
    CHECK(world.TakeBytes() == kBlock);  // the second block alone
    CHECK(world.Reads(*file, 7, 2 * kBlock - 7));
    CHECK(world.TakeBytes() == 0);
    CHECK(file->IsAtHand(0));
    CHECK(!file->IsAtHand(2 * kBlock));
    CHECK(world.Reads(*file, 0, world.contents.size()));
    CHECK(world.TakeBytes() == 8 * kBlock + 100);
  }
  world.storage.opened = 0;
  const auto file = world.Open();
  for (std::uint64_t at = 0; at < world.contents.size(); at += 777) {
    CHECK(world.Reads(*file, at,
                      std::min<std::size_t>(5000, world.contents.size() - at)));
  }
  CHECK(world.Reads(*file, world.contents.size(), 0));
  CHECK(world.storage.opened == 0);
  std::byte more[2];
  CHECK(file->ReadExactly(world.contents.size() - 1, more).code() ==
        Code::kCorrupt);
}

TEST_CASE("A cached shard that is read is in use", "[cached_shard]") {
  World world;
  CHECK(world.Reads(*world.Open(), 0, 100));
  const auto file = world.Open();
  using Clock = std::filesystem::file_time_type::clock;
  const auto long_ago = Clock::now() - std::chrono::hours(2);
  std::filesystem::last_write_time(world.Kept(), long_ago);
  CHECK(world.Reads(*file, 0, 100));
  CHECK(std::filesystem::last_write_time(world.Kept()) >
        long_ago + std::chrono::hours(1));
}

TEST_CASE("Any damage of what is kept of a shard is a miss", "[cached_shard]") {
  World world;
  CHECK(world.Reads(*world.Open(), 0, world.contents.size()));
  const auto size = std::filesystem::file_size(world.Kept());
  Draws draws(3);
  for (int i = 0; i < 300; ++i) {
    const std::uint64_t at = draws.Below(size);
    switch (draws.Below(4)) {
      case 0:
        std::filesystem::resize_file(world.Kept(), at);
        break;
      case 1:
        std::filesystem::resize_file(world.Kept(), size + at);
        break;
      default: {
        std::fstream file(world.Kept(), std::ios::in | std::ios::out);
        file.seekp(static_cast<std::streamoff>(at));
        file.put(static_cast<char>(draws.Below(256)));
      }
    }
    const auto file = world.Open();
    const std::uint64_t first = draws.Below(world.contents.size());
    const std::uint64_t most = world.contents.size() - first;
    REQUIRE(world.Reads(
        *file, first, 1 + draws.Below(std::min<std::uint64_t>(most, 60'000))));
  }
  // Nothing is wrong, nor is it fetched each time.
  CHECK(world.Reads(*world.Open(), 0, world.contents.size()));
  world.TakeBytes();
  CHECK(world.Reads(*world.Open(), 0, world.contents.size()));
  CHECK(world.TakeBytes() == 0);
}

TEST_CASE("What is kept of shards is compared with its checksums, or goes",
          "[cached_shard]") {
  World world;
  CHECK(world.Reads(*world.Open(), 0, world.contents.size()));
  const std::string folder = world.directory / "c";
  CacheContents contents = *VerifyCache(folder);
  CHECK(contents.shards == 1);
  CHECK(contents.shard_bytes >= world.contents.size());
  CHECK(contents.damaged_blocks == 0);
  {
    std::fstream file(world.Kept(), std::ios::in | std::ios::out);
    file.seekp(4096 + 5 * static_cast<std::streamoff>(kBlock)).put('\x7f');
  }
  CHECK(VerifyCache(folder)->damaged_blocks == 1);
  CHECK(VerifyCache(folder)->damaged_blocks == 0);
  world.TakeBytes();
  CHECK(world.Reads(*world.Open(), 0, world.contents.size()));
  CHECK(world.TakeBytes() == kBlock);
  // Bytes of a server that lied have checksums that agree.
  world.contents[7] ^= 1;
  world.below.Put(world.known.path, world.contents);
  world.Open()->Forget(0, kBlock);
  CHECK(world.Reads(*world.Open(), 0, world.contents.size()));
  CHECK(VerifyCache(folder)->damaged_blocks == 11);
  CHECK(ReadCacheContents(folder)->shards == 0);
  CHECK(world.Reads(*world.Open(), 0, 1));
  std::ofstream(folder + "/letter.txt") << "dear";
  CHECK(ClearCache(folder)->shards == 1);
  CHECK(ClearCache(folder)->shards == 0);
  CHECK(std::filesystem::exists(folder + "/letter.txt"));
  CHECK(ClearCache(world.directory / "none").status().code() ==
        Code::kNotFound);
  CHECK(ClearCache(world.directory / "").status().code() ==
        Code::kInvalidArgument);
}

TEST_CASE("What is said to be wrong of a cached shard is fetched anew",
          "[cached_shard]") {
  World world;
  const auto file = world.Open();
  // A server gave these bytes once.
  const std::string good = world.contents;
  std::string bad = good;
  bad[kBlock + 5] ^= 1;
  world.below.Put(world.known.path, bad);
  world.contents = bad;
  const auto lied = world.Open();
  CHECK(world.Reads(*lied, kBlock, 100));
  world.below.Put(world.known.path, good);
  world.contents = good;
  CHECK(!world.Reads(*file, kBlock, 100));
  file->Forget(kBlock, 100);
  CHECK(world.Reads(*file, kBlock, 100));
  CHECK(world.Reads(*world.Open(), kBlock, 100));
}

TEST_CASE("A shard that has no room in the cache passes by", "[cached_shard]") {
  World world;
  world.limits.bytes = world.contents.size() + 5000;
  const auto file = world.Open();
  for (int i = 0; i < 3; ++i) {
    CHECK(world.Reads(*file, 0, world.contents.size()));
  }
  CHECK(world.TakeBytes() >= 2 * world.contents.size());
  // One that is larger is not even begun.
  world.limits.bytes = 5000;
  std::filesystem::remove(world.Kept());
  CHECK(world.Reads(*world.Open(), 0, world.contents.size()));
  CHECK(!std::filesystem::exists(world.Kept()));
}

TEST_CASE("A cached shard of another size is refused", "[cached_shard]") {
  World world;
  world.below.Put(world.known.path, "short");
  auto folder = CacheFolder::Open(world.directory / "c", world.limits);
  REQUIRE(folder.ok());
  const Status status =
      OpenCachedShard(*folder, world.storage, world.known).status();
  CHECK(status.code() == Code::kCorrupt);
  CHECK(status.where().path == world.known.path);
}

// D1 of the field reports. A mirror at another path of the host has the same
// manifest, and other bytes.
TEST_CASE("A mirror's blocks are its own until a digest proves the shard",
          "[cached_shard]") {
  World world;
  std::string forged = world.contents;
  forged[100] ^= 1;
  const KnownFile mirror = world.Mirror("s3://b/mirror/x.rec", forged);
  std::byte byte[200];
  CHECK(world.Open(mirror)->ReadExactly(0, byte).ok());
  CHECK(world.Reads(*world.Open(), 0, 200));
  // A whole forged shard does not get the original's place either.
  ByteBuffer all;
  all.Resize(forged.size());
  CHECK(world.Open(mirror)->ReadExactly(0, all.span()).ok());
  CHECK(world.Open(mirror)->ReadExactly(0, byte).ok());
  CHECK(!std::filesystem::exists(world.Proved()));
  CHECK(world.Reads(*world.Open(), 0, world.contents.size()));
  CHECK(VerifyCache(world.directory / "c")->damaged_blocks == 11);
  CHECK(world.Reads(*world.Open(), 0, world.contents.size()));
}

TEST_CASE("A shard that its digest has proved is shared by all its addresses",
          "[cached_shard]") {
  World world;
  std::string forged = world.contents;
  forged[100] ^= 1;
  const KnownFile mirror = world.Mirror("s3://b/mirror/x.rec", forged);
  CHECK(world.Reads(*world.Open(), 0, world.contents.size()));
  const auto writer = world.Open();  // proves it
  CHECK(std::filesystem::exists(world.Proved()));
  world.TakeBytes();
  CHECK(world.Reads(*world.Open(mirror), 0, world.contents.size()));
  CHECK(world.TakeBytes() == 0);
  SECTION("A mirror cannot write to it") {
    const auto open = world.Open(mirror);
    open->Forget(0, 1);
    std::byte byte[200];
    CHECK(open->ReadExactly(0, byte).ok());
    CHECK(!std::filesystem::exists(world.Proved()));
    CHECK(world.Reads(*world.Open(), 0, world.contents.size()));
  }
  SECTION("Another bucket has none of it") {
    const KnownFile other = world.Mirror("s3://c/x.rec", world.contents);
    CHECK(world.Reads(*world.Open(other), 0, 200));
    CHECK(world.TakeBytes() == kBlock);
  }
}

TEST_CASE("A file that was opened before it was proved is not written to",
          "[cached_shard]") {
  World world;
  const auto early = world.Open();
  CHECK(world.Reads(*world.Open(), 0, world.contents.size()));
  CHECK(world.Reads(*world.Open(), 0, 1));
  REQUIRE(std::filesystem::exists(world.Proved()));
  world.below.Put(world.known.path, std::string(world.contents.size(), 'x'));
  early->Forget(0, world.contents.size());
  std::byte byte[1];
  CHECK(early->ReadExactly(0, byte).ok());
  CHECK(world.Reads(*world.Open(), 0, world.contents.size()));
}

TEST_CASE("What the server has not is an error, and nothing is kept of it",
          "[cached_shard]") {
  World world;
  CHECK(world.Reads(*world.Open(), 0, kBlock));
  const auto file = world.Open();
  REQUIRE(world.below.Remove(world.known.path).ok());
  const auto other = CacheFolder::Open(world.directory / "c", world.limits);
  REQUIRE(other.ok());
  CHECK(OpenCachedShard(*other, world.storage, world.known).status().code() ==
        Code::kNotFound);
  CHECK(world.Reads(*file, 0, kBlock));
}

}  // namespace
}  // namespace shardine::cached_shard_test
