#include "lmdb/lmdb_meta.h"

#include <functional>

#include "io/memory_storage.h"
#include "unit/lmdb/lmdb_oracle.h"
#include "unit/lmdb/page_maker.h"

namespace shardine::lmdb_meta_test {
namespace {

constexpr std::size_t kPage = 4096;
constexpr std::size_t kMainDb = 88;

// A database of some entries, both of its meta pages used.
std::string Database() {
  OracleDb db;
  for (int round = 0; round < 3; ++round) {
    db.Begin();
    for (int i = 0; i < 200; ++i) {
      db.Put(std::to_string(round * 1000 + i), std::string(60, 'v'));
    }
    db.Commit();
  }
  db.Begin();
  db.Put("large", std::string(9000, 'x'));
  db.Commit();
  return db.File();
}

Result<LmdbMeta> Read(const std::string& bytes) {
  MemoryStorage storage;
  storage.Put("x.lmdb", bytes);
  const auto file = storage.Open("x.lmdb");
  REQUIRE(file.ok());
  return ReadLmdbMeta(**file);
}

std::uint64_t TxnId(const std::string& bytes, std::size_t page) {
  return LoadLe<std::uint64_t>(&AsBytes(bytes)[page * kPage + 144]);
}

// The page that counts, of the two.
std::size_t Newer(const std::string& bytes) {
  return TxnId(bytes, 1) > TxnId(bytes, 0) ? 1 : 0;
}

// The status after `change` of the newer page, given where it begins.
Status AfterChange(
    const std::function<void(std::string&, std::size_t)>& change) {
  std::string bytes = Database();
  change(bytes, Newer(bytes) * kPage);
  return Read(bytes).status();
}

TEST_CASE("ReadLmdbMeta says what liblmdb counted", "[lmdb][meta]") {
  const auto meta = Read(Database());
  REQUIRE(meta.status().ToString() == "OK");
  CHECK(meta->page_size == kPage);
  CHECK(meta->entries == 601);
  CHECK(meta->depth == 2);
  CHECK(meta->branch_pages == 1);
  CHECK(meta->overflow_pages == 3);
  CHECK(meta->root <= meta->last_page);
}

TEST_CASE("The newer of the two meta pages counts, whichever it is",
          "[lmdb][meta]") {
  OracleDb db;
  for (std::uint64_t entries = 1; entries < 8; ++entries) {
    db.Begin();
    db.Put("key" + std::to_string(entries), "v");
    db.Commit();
    const auto meta = Read(db.File());
    REQUIRE(meta.ok());
    CHECK(meta->entries == entries);
  }
}

TEST_CASE("A database without entries has no root", "[lmdb][meta]") {
  OracleDb db;
  const auto fresh = Read(db.File());
  REQUIRE(fresh.status().ToString() == "OK");
  CHECK(fresh->root == kLmdbNoPage);
  db.Begin();
  db.Put("a", "b");
  db.Commit();
  db.Begin();
  db.Delete("a");
  db.Commit();
  const auto emptied = Read(db.File());
  REQUIRE(emptied.status().ToString() == "OK");
  CHECK(emptied->root == kLmdbNoPage);
  CHECK(emptied->entries == 0);
}

TEST_CASE("IsLmdbHead knows LMDB's files and no others", "[lmdb][meta]") {
  const std::string bytes = Database();
  CHECK(IsLmdbHead(AsBytes(bytes).first(152)));
  CHECK_FALSE(IsLmdbHead(AsBytes(bytes).first(151)));
  CHECK_FALSE(IsLmdbHead({}));
  CHECK_FALSE(IsLmdbHead(AsBytes(bytes).subspan(kPage)));  // page 1
  for (const std::size_t at : {0, 10, 16, 19}) {
    std::string other = bytes;
    other[at] = static_cast<char>(other[at] ^ 0x40);
    CHECK_FALSE(IsLmdbHead(AsBytes(other)));
  }
}

TEST_CASE("A file that ends within its meta pages is refused", "[lmdb][meta]") {
  const std::string bytes = Database();
  for (const std::size_t size : {0UL, 151UL, 152UL, kPage, kPage + 151}) {
    CHECK(Read(bytes.substr(0, size)).status().code() == Code::kCorrupt);
  }
}

TEST_CASE("Meta pages that are none, or of two kinds, are refused",
          "[lmdb][meta]") {
  for (const std::size_t page : {0, 1}) {
    for (const std::size_t at : {0, 10, 16}) {
      std::string bytes = Database();
      bytes[page * kPage + at] =
          static_cast<char>(bytes[page * kPage + at] ^ 0x20);
      const Status status = Read(bytes).status();
      CHECK(status.message() == "no LMDB meta page");
      CHECK(status.where().offset == page * kPage);
    }
    std::string bytes = Database();
    Poke(bytes, page * kPage + 20, std::uint32_t{999});
    const Status status = Read(bytes).status();
    CHECK(status.code() == Code::kUnsupported);
    CHECK_THAT(status.message(), Catch::Contains("version 999"));
    CHECK(status.where().offset == page * kPage + 20);
  }
  std::string bytes = Database();
  Poke(bytes, kPage + 40, std::uint32_t{8192});
  CHECK_THAT(Read(bytes).status().message(),
             Catch::Contains("two different page sizes"));
}

TEST_CASE("Page sizes that LMDB has not are refused", "[lmdb][meta]") {
  for (const std::uint32_t size : {0U, 256U, 4095U, 12288U, 131072U, ~0U}) {
    std::string bytes = Database();
    Poke(bytes, 40, size);
    const Status status = Read(bytes).status();
    CHECK(status.code() == Code::kCorrupt);
    CHECK_THAT(status.message(),
               Catch::Contains("a page size of " + std::to_string(size)));
  }
}

TEST_CASE("Meta pages of transactions that are no neighbours are refused",
          "[lmdb][meta]") {
  const std::string bytes = Database();
  const std::uint64_t newest = TxnId(bytes, Newer(bytes));
  const auto with = [&](std::size_t page, std::uint64_t id) {
    std::string other = bytes;
    Poke(other, page * kPage + 144, id);
    return Read(other).status();
  };
  const std::size_t older = 1 - Newer(bytes);
  REQUIRE(with(older, newest - 1).ok());
  for (const std::uint64_t id : {newest, newest - 2, newest - 3, newest + 3,
                                 std::uint64_t{0}, ~std::uint64_t{0}}) {
    INFO(id);
    const Status status = with(older, id);
    CHECK(status.code() == Code::kCorrupt);
    CHECK_THAT(status.message(), Catch::Contains("mdb_copy -c"));
  }
  // A file that became shorter.
  std::string shrunk = bytes;
  Poke(shrunk, older * kPage + 136, std::uint64_t{1} << 40);
  CHECK_THAT(Read(shrunk).status().message(), Catch::Contains("neighbouring"));
}

TEST_CASE("Databases made with flags are refused by the names of the flags",
          "[lmdb][meta]") {
  const auto with = [](std::uint16_t flags) {
    return AfterChange([&](std::string& bytes, std::size_t page) {
      Poke(bytes, page + kMainDb + 4, flags);
    });
  };
  CHECK_THAT(with(0x04).message(), Catch::Contains("made with DUPSORT;"));
  CHECK_THAT(with(0x0a).message(),
             Catch::Contains("made with REVERSEKEY and INTEGERKEY;"));
  CHECK(with(0x04).code() == Code::kUnsupported);
  CHECK(with(0x01).code() == Code::kCorrupt);
  CHECK(with(0x8004).code() == Code::kCorrupt);
}

TEST_CASE("A root, depth and sizes that contradict each other are refused",
          "[lmdb][meta]") {
  const auto with = [](std::size_t at, auto value) {
    return AfterChange([&](std::string& bytes, std::size_t page) {
      Poke(bytes, page + at, value);
    });
  };
  CHECK_THAT(with(kMainDb + 40, kLmdbNoPage).message(),
             Catch::Contains("contradict"));
  CHECK_THAT(with(kMainDb + 6, std::uint16_t{0}).message(),
             Catch::Contains("contradict"));
  CHECK_THAT(with(kMainDb + 6, std::uint16_t{33}).message(),
             Catch::Contains("contradict"));
  CHECK_THAT(with(kMainDb + 40, std::uint64_t{1} << 33).message(),
             Catch::Contains("after its last page"));
  for (const std::size_t at : {kMainDb + 8, kMainDb + 16, kMainDb + 24}) {
    CHECK_THAT(with(at, std::uint64_t{1} << 50).message(),
               Catch::Contains("more pages than the file has"));
  }
}

}  // namespace
}  // namespace shardine::lmdb_meta_test
