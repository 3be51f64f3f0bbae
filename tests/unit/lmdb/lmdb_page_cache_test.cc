#include "lmdb/lmdb_page_cache.h"

#include "unit/lmdb/entry_reading.h"
#include "unit/lmdb/file_maker.h"
#include "unit/lmdb/lmdb_oracle.h"

namespace shardine::lmdb_page_cache_test {
namespace {

std::string KeyOf(std::uint64_t number) {
  return "page " + std::to_string(number);
}

// A file of any number of leaves, each made when it is read.
class Leaves : public RandomAccessFile {
 public:
  explicit Leaves(std::uint64_t pages) : pages_(pages) {}

  Result<std::size_t> ReadAt(std::uint64_t offset,
                             std::span<std::byte> out) const override {
    ++reads_;
    REQUIRE(offset % kSmallPage == 0);
    REQUIRE(out.size() == kSmallPage);
    const std::uint64_t number = offset / kSmallPage;
    const std::string page = PageMaker(number, kLmdbLeaf, kSmallPage)
                                 .Value(KeyOf(number), "value")
                                 .Make();
    std::ranges::copy(AsBytes(page), out.begin());
    return out.size();
  }
  std::uint64_t size() const override { return pages_ * kSmallPage; }
  const std::string& path() const override { return path_; }

  LmdbMeta meta() const {
    return {.page_size = kSmallPage, .last_page = pages_ - 1};
  }
  std::uint64_t TakeReads() const { return std::exchange(reads_, 0); }

 private:
  const std::uint64_t pages_;
  const std::string path_ = "leaves.lmdb";
  mutable std::uint64_t reads_ = 0;
};

void RequireLoaded(LmdbPageCache& cache, std::uint64_t number) {
  const auto page = cache.Load(number);
  REQUIRE(page.status().ToString() == "OK");
  REQUIRE(page->is_leaf());
  REQUIRE(AsText(page->key(0)) == KeyOf(number));
}

TEST_CASE("LmdbPageCache reads each page of a file below its bound once",
          "[lmdb][page]") {
  const Leaves file(2000);
  LmdbPageCache cache(file, file.meta());
  for (int round = 0; round < 3; ++round) {
    for (std::uint64_t number = 0; number < 2000; ++number) {
      RequireLoaded(cache, number * 7 % 2000);
    }
    CHECK(file.TakeReads() == (round == 0 ? 2000U : 0U));
  }
}

TEST_CASE("LmdbPageCache gives the right pages of a file above its bound",
          "[lmdb][page]") {
  // 16 MiB are 32768 such pages.
  const std::uint64_t pages = 100'000;
  const Leaves file(pages);
  LmdbPageCache cache(file, file.meta());
  OracleDraws draws(1);
  for (int i = 0; i < 3000; ++i) {
    const std::uint64_t number = draws.Below(pages);
    RequireLoaded(cache, number);
    // The one that was loaded last is there, whatever it pushed out.
    const std::uint64_t reads = file.TakeReads();
    REQUIRE(reads <= 1);
    RequireLoaded(cache, number);
    REQUIRE(file.TakeReads() == 0);
    // Pages a power of two apart, where caches collide.
    RequireLoaded(cache, (number + 32768) % pages);
    RequireLoaded(cache, number);
    file.TakeReads();
  }
}

TEST_CASE("LmdbPageCache holds no more than its bound", "[lmdb][page]") {
  const std::uint64_t pages = 33'000;
  const Leaves file(pages);
  LmdbPageCache cache(file, file.meta());
  for (int round = 0; round < 2; ++round) {
    for (std::uint64_t number = 0; number < pages; ++number) {
      RequireLoaded(cache, number);
    }
  }
  // Pages beyond the bound must have been read again, and little else.
  const std::uint64_t again = file.TakeReads() - pages;
  CHECK(again >= pages - 32'768);
  CHECK(again < 1000);
}

TEST_CASE("LmdbPageCache refuses pages that database or file does not have",
          "[lmdb][page]") {
  TextFile file(SmallTree() + "half a page");
  LmdbPageCache cache(file, {.page_size = kSmallPage, .last_page = 5});
  LmdbPageCache beyond(file, {.page_size = kSmallPage, .last_page = 1 << 20});
  const auto refused = [&](LmdbPageCache& from, std::uint64_t number) {
    const Status status = from.Load(number).status();
    CHECK(status.code() == Code::kCorrupt);
    CHECK(status.where().path == "x.lmdb");
    CHECK_THAT(status.message(),
               Catch::StartsWith("page " + std::to_string(number) +
                                 " lies beyond the end"));
  };
  refused(cache, 6);
  refused(beyond, 8);  // half of it is there
  refused(beyond, 9);
  refused(beyond, kLmdbNoPage);
  refused(beyond, kLmdbNoPage / kSmallPage + 1);  // its offset would be 0
  CHECK(file.reads() == 0);
  CHECK(cache.Load(5).ok());
}

TEST_CASE("LmdbPageCache says at which byte of the file a page is wrong",
          "[lmdb][page][corruption]") {
  std::string bytes = SmallTree();
  Poke(bytes, 4 * kSmallPage + 10, std::uint16_t{8});
  Poke(bytes, 5 * kSmallPage, std::uint64_t{4});
  TextFile file(bytes);
  LmdbPageCache cache(file, {.page_size = kSmallPage, .last_page = 7});
  for (int twice = 0; twice < 2; ++twice) {
    const Status flags = cache.Load(4).status();
    CHECK_THAT(flags.message(), Catch::StartsWith("page flags 8"));
    CHECK(flags.where().offset == 4 * kSmallPage + 10);
    CHECK(flags.where().path == "x.lmdb");
    const Status number = cache.Load(5).status();
    CHECK(number.message() == "not page 5 but one that calls itself 4");
    CHECK(number.where().offset == 5 * kSmallPage);
  }
}

TEST_CASE("LmdbPageCache keeps nothing of a read that failed",
          "[lmdb][page][faults]") {
  TextFile file(SmallTree());
  LmdbPageCache cache(file, {.page_size = kSmallPage, .last_page = 7});
  REQUIRE(cache.Load(3).ok());
  file.FailRead(1);
  const Status status = cache.Load(4).status();
  CHECK(status.code() == Code::kIo);
  CHECK(status.system_error() == EIO);
  CHECK(status.where().path == "x.lmdb");
  CHECK(status.where().offset == 4 * kSmallPage);
  const auto page = cache.Load(4);
  REQUIRE(page.ok());
  CHECK(AsText(page->key(0)) == "g");
}

TEST_CASE("LmdbPageCache forgets a page whose place a damaged one took",
          "[lmdb][page][corruption]") {
  // Two pages of one place: there are 256 of 64 KiB.
  constexpr std::uint32_t kLarge = 65536;
  std::string bytes(259 * std::size_t{kLarge}, '\0');
  bytes.replace(2 * kLarge, kLarge,
                PageMaker(2, kLmdbLeaf, kLarge).Value("a", "1").Make());
  TextFile file(bytes);
  LmdbPageCache cache(file, {.page_size = kLarge, .last_page = 258});
  REQUIRE(cache.Load(2).ok());
  REQUIRE_FALSE(cache.Load(258).ok());  // all zero
  const auto page = cache.Load(2);
  REQUIRE(page.status().ToString() == "OK");
  CHECK(AsText(page->key(0)) == "a");
}

TEST_CASE("LmdbPageCache refuses a page of a file that became shorter",
          "[lmdb][page][corruption]") {
  TextFile file(SmallTree());
  LmdbPageCache cache(file, {.page_size = kSmallPage, .last_page = 7});
  file.bytes().resize(4 * kSmallPage + 100);
  CHECK(cache.Load(3).ok());
  const Status status = cache.Load(4).status();
  CHECK(status.code() == Code::kCorrupt);
  CHECK(status.where().path == "x.lmdb");
  REQUIRE(status.where().offset);
  CHECK(*status.where().offset / kSmallPage == 4);
}

}  // namespace
}  // namespace shardine::lmdb_page_cache_test
