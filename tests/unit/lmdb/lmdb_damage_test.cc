// LmdbReader on a small file, each byte of which is known: the effect of
// damage, and the place that the error names.
#include <set>

#include "unit/lmdb/entry_reading.h"
#include "unit/lmdb/file_maker.h"
#include "unit/lmdb/lmdb_oracle.h"

namespace shardine::lmdb_damage_test {
namespace {

enum class Kind : std::uint8_t {
  kChecked,  // any other value is refused
  kFree,     // any value will do
  kEither,   // some are refused, and others change nothing
  kContent,  // part of a key or value, or of a size that no other one checks
};

void Set(std::vector<Kind>& kinds, std::uint64_t at, std::uint64_t size,
         Kind kind) {
  std::fill_n(kinds.begin() + static_cast<std::ptrdiff_t>(at), size, kind);
}

void SetMetaKinds(std::vector<Kind>& kinds) {
  for (const std::uint64_t page : {0U, kSmallPage}) {
    Set(kinds, page + 8, 2, Kind::kFree);
    Set(kinds, page + 12, 4, Kind::kFree);
    Set(kinds, page + 24, 16, Kind::kFree);  // the map's address and size
    // The database of free pages after its page size, and half a flag word.
    Set(kinds, page + 44, 48, Kind::kFree);
    Set(kinds, page + 136, 8, Kind::kEither);  // the last page
    Set(kinds, page + 152, kSmallPage - 152, Kind::kFree);
  }
  // The older page's database is not the one that is read.
  Set(kinds, 88, 48, Kind::kFree);
  // More pages of values than the tree has are those that values had before.
  Set(kinds, kSmallPage + 112, 8, Kind::kEither);
}

// The kind of each byte of SmallTree().
std::vector<Kind> KindsOf(const std::string& file, const ReadEntries& whole) {
  std::vector<Kind> kinds(file.size(), Kind::kChecked);
  SetMetaKinds(kinds);
  for (const std::uint64_t number : {2U, 3U, 4U, 5U}) {
    const std::uint64_t page = number * kSmallPage;
    const std::byte* head = AsBytes(file).data() + page;
    Set(kinds, page + 8, 2, Kind::kFree);
    const std::uint64_t lower = LoadLe<std::uint16_t>(head + 12);
    const std::uint64_t upper = LoadLe<std::uint16_t>(head + 14);
    Set(kinds, page + lower, upper - lower, Kind::kFree);
  }
  for (std::size_t i = 0; i < whole.entries.size(); ++i) {
    const LmdbEntry& place = whole.places[i];
    const std::uint64_t key = whole.entries[i].first.size();
    Set(kinds, place.offset + 8, key, Kind::kContent);
    Set(kinds, place.value.offset, place.value.length, Kind::kContent);
    if (place.overflow_page > 0) {
      Set(kinds, place.offset, 4, Kind::kContent);
      // Number and flags come first; one byte pads the node.
      Set(kinds, place.overflow_page * kSmallPage + 8, 2, Kind::kFree);
      Set(kinds, place.value.offset + place.value.length,
          file.size() - place.value.offset - place.value.length, Kind::kFree);
      Set(kinds, place.offset + 8 + key + 8, (key + 8) % 2, Kind::kFree);
    } else {
      // Nodes are padded to even sizes, so one byte more or less may fit.
      Set(kinds, place.offset, 1, Kind::kContent);
      Set(kinds, place.offset + 6, 1, Kind::kContent);
      const std::uint64_t size = key + place.value.length;
      Set(kinds, place.offset + 8 + size, size % 2, Kind::kFree);
    }
  }
  return kinds;
}

std::size_t Differing(const ReadEntries& a, const ReadEntries& b) {
  REQUIRE(a.entries.size() == b.entries.size());
  std::size_t count = 0;
  for (std::size_t i = 0; i < a.entries.size(); ++i) {
    if (a.entries[i] != b.entries[i]) ++count;
  }
  return count;
}

// The page that an error names is the damaged one, or one that leads to it or
// is next to it in the tree.
bool IsNear(std::uint64_t damaged, std::uint64_t named) {
  if (damaged == named) return true;
  // Faults of a meta page or the branch may be seen anywhere below it.
  if (damaged <= 2) return true;
  const std::set<std::pair<std::uint64_t, std::uint64_t>> near = {
      {3, 4}, {4, 5}, {3, 2}, {4, 2}, {4, 6}, {5, 2}};
  return near.contains({damaged, named});
}

void CheckRefusal(const Status& status, std::uint64_t damaged,
                  std::uint64_t file_size) {
  INFO(status.ToString());
  REQUIRE(
      (status.code() == Code::kCorrupt || status.code() == Code::kUnsupported));
  REQUIRE(status.where().path == "x.lmdb");
  REQUIRE(status.where().offset);
  REQUIRE(*status.where().offset < file_size);
  REQUIRE(IsNear(damaged / kSmallPage, *status.where().offset / kSmallPage));
}

void CheckOutcome(Kind kind, const ReadEntries& whole, const ReadEntries& read,
                  std::uint64_t at, std::uint64_t file_size) {
  if (!read.status.ok()) {
    REQUIRE(kind != Kind::kFree);
    CheckRefusal(read.status, at, file_size);
    return;
  }
  REQUIRE(kind != Kind::kChecked);
  REQUIRE(Differing(whole, read) == (kind == Kind::kContent ? 1U : 0U));
}

TEST_CASE("Each bit of an LMDB file is content, free, or checked at its page",
          "[lmdb][corruption]") {
  const std::string file = SmallTree();
  const ReadEntries whole = ReadAll(file);
  REQUIRE(whole.status.ToString() == "OK");
  REQUIRE(whole.entries.size() == 9);
  REQUIRE(whole.entries[4].second == std::string(700, 'v'));
  std::vector<Kind> kinds = KindsOf(file, whole);
  // The key of a branch need not be one of a leaf.
  const std::size_t g = file.find("g\0", 2 * kSmallPage, 1);
  const std::size_t pe = file.find("pe", 2 * kSmallPage);
  REQUIRE(pe < g);
  Set(kinds, g, 2, Kind::kEither);
  Set(kinds, pe, 2, Kind::kEither);
  for (std::size_t at = 0; at < file.size(); ++at) {
    // One bit will do for free bytes, which are most.
    const int step = kinds[at] == Kind::kFree ? 8 : 1;
    for (int bit = static_cast<int>(at) % step; bit < 8; bit += step) {
      std::string damaged = file;
      damaged[at] = static_cast<char>(damaged[at] ^ (1 << bit));
      INFO("byte " << at << " bit " << bit);
      CheckOutcome(kinds[at], whole, ReadAll(damaged), at, file.size());
    }
  }
}

TEST_CASE("An LMDB file is refused wherever it is cut", "[lmdb][corruption]") {
  const std::string file = SmallTree();
  for (std::size_t size = 0; size < file.size(); ++size) {
    const Status status = ReadAll(file.substr(0, size)).status;
    INFO(size << ": " << status.ToString());
    REQUIRE(status.code() == Code::kCorrupt);
    REQUIRE(status.where().path == "x.lmdb");
    REQUIRE(status.where().offset);
  }
  // More bytes than pages are no harm: a file grows before it is committed.
  CHECK(ReadAll(file + std::string(1300, 'x')).status.ToString() == "OK");
}

TEST_CASE("Reading a damaged LMDB file ends after a few reads of each page",
          "[lmdb][corruption]") {
  const std::string file = SmallTree();
  std::uint64_t refused = 0;
  for (std::uint32_t seed = 0; seed < 4000; ++seed) {
    OracleDraws draws(seed);
    TextFile damaged(file);
    for (std::uint32_t count = 1 + draws.Below(4); count > 0; --count) {
      // A number of this file in place of another, as a swapped write leaves.
      const std::uint32_t size = 1U << draws.Below(4);
      const auto pages = static_cast<std::uint32_t>(file.size() / kSmallPage);
      const std::uint32_t at =
          draws.Below(pages) * kSmallPage + draws.Below(160 / size) * size;
      const std::uint64_t number = draws.Below(2) == 0
                                       ? draws.Below(10)
                                       : ~std::uint64_t{0} >> draws.Below(64);
      damaged.bytes().replace(
          at, size, std::string(reinterpret_cast<const char*>(&number), size));
    }
    const ReadEntries read = ReadAll(damaged);
    REQUIRE(damaged.reads() <= 3 * file.size() / kSmallPage);
    REQUIRE(read.entries.size() <= 9);
    if (read.status.ok()) continue;
    ++refused;
    REQUIRE(read.status.where().path == "x.lmdb");
    REQUIRE(read.status.where().offset);
  }
  CHECK(refused > 1000);
}

// SmallTree() with another number in the newer meta page.
Status WithMeta(std::size_t at, std::uint64_t value) {
  std::string file = SmallTree();
  Poke(file, kSmallPage + at, value);
  return ReadAll(file).status;
}

TEST_CASE("A count of the meta page that the tree has not is named with both",
          "[lmdb][corruption]") {
  struct Counted {
    std::size_t at;
    std::uint64_t said;
    std::string message;
  };
  const Counted counts[] = {
      {120, 8,
       "the number of entries in the tree is 9, and the meta page says 8"},
      {120, 10,
       "the number of entries in the tree is 9, and the meta page says 10"},
      {104, 4,
       "the number of leaf pages in the tree is 3, and the meta page says 4"},
      {96, 2,
       "the number of branch pages in the tree is 1, and the meta page says 2"},
      {96, 0,
       "the number of branch pages in the tree is 1, and the meta page says 0"},
      {112, 1,
       "the number of overflow pages in the tree is 2, and the meta page says "
       "1"}};
  for (const Counted& count : counts) {
    const Status status = WithMeta(count.at, count.said);
    CHECK(status.code() == Code::kCorrupt);
    CHECK(status.message() == count.message);
    CHECK(status.where().offset == kSmallPage + count.at);
  }
  CHECK(WithMeta(112, 3).ok());  // a value became smaller
}

TEST_CASE("A root that no tree can have is refused at its place",
          "[lmdb][corruption]") {
  for (const std::uint64_t root : {0U, 1U, 7U, 8U}) {
    const Status status = WithMeta(128, root);
    INFO(root << ": " << status.ToString());
    CHECK(status.code() == Code::kCorrupt);
    REQUIRE(status.where().offset);
    // A page of the file is looked at, and says itself that it is no root.
    CHECK(*status.where().offset / kSmallPage == (root == 7 ? 7 : 1));
  }
}

}  // namespace
}  // namespace shardine::lmdb_damage_test
