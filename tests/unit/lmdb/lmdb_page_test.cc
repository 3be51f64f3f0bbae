#include "lmdb/lmdb_page.h"

#include <functional>

#include "unit/lmdb/page_maker.h"

namespace shardine::lmdb_page_test {
namespace {

std::string Leaf() {
  return PageMaker(7, kLmdbLeaf)
      .Value("a", "first")
      .Value("ab", "")
      .Overflow("b", 70'000, 12)
      .Value("c\xff", "last")
      .Make();
}

std::string Branch() {
  return PageMaker(9, kLmdbBranch)
      .Child("", 3)
      .Child("g", 0x1'0000'0004)
      .Child("m", 5)
      .Make();
}

Status Fault(const std::string& bytes, std::uint64_t number) {
  return LmdbPage::Parse(AsBytes(bytes), number).status();
}

// The status of Parse on a leaf after `change`.
Status AfterChange(const std::function<void(std::string&)>& change) {
  std::string bytes = Leaf();
  change(bytes);
  const Status status = Fault(bytes, 7);
  if (!status.ok()) CHECK(status.where().offset);
  return status;
}

TEST_CASE("LmdbPage gives the nodes of a leaf", "[lmdb][page]") {
  const std::string bytes = Leaf();
  const auto page = LmdbPage::Parse(AsBytes(bytes), 7);
  REQUIRE(page.status().ToString() == "OK");
  CHECK(page->is_leaf());
  REQUIRE(page->count() == 4);
  const LmdbLeafNode first = page->leaf(0);
  CHECK(AsText(first.key) == "a");
  CHECK_FALSE(first.overflow);
  CHECK(bytes.substr(first.value_at, first.size) == "first");
  CHECK(page->leaf(1).size == 0);
  const LmdbLeafNode large = page->leaf(2);
  CHECK(large.overflow);
  CHECK(large.size == 70'000);
  CHECK(large.page == 12);
  CHECK(AsText(page->key(3)) == "c\xff");
}

TEST_CASE("LmdbPage gives the children of a branch, beyond 2^32, too",
          "[lmdb][page]") {
  const std::string bytes = Branch();
  const auto page = LmdbPage::Parse(AsBytes(bytes), 9);
  REQUIRE(page.status().ToString() == "OK");
  CHECK_FALSE(page->is_leaf());
  REQUIRE(page->count() == 3);
  CHECK(page->child(0) == 3);
  CHECK(page->child(1) == 0x1'0000'0004);
  CHECK(page->child(2) == 5);
}

TEST_CASE("LowerBound finds the first key that is not less", "[lmdb][page]") {
  const std::string leaf = Leaf();
  const auto page = LmdbPage::Parse(AsBytes(leaf), 7);
  REQUIRE(page.ok());
  const std::pair<const char*, std::size_t> keys[] = {
      {"", 0},  {"a", 0}, {"aa", 1},    {"ab", 1},        {"abc", 2},
      {"b", 2}, {"c", 3}, {"c\xff", 3}, {"c\xff\x01", 4}, {"d", 4}};
  for (const auto& [key, place] : keys) {
    INFO(key);
    CHECK(page->LowerBound(AsBytes(std::string_view(key))) == place);
  }
  // A branch's first key is less than any, whatever it says.
  const std::string branch = Branch();
  const auto above = LmdbPage::Parse(AsBytes(branch), 9);
  REQUIRE(above.ok());
  CHECK(above->LowerBound(AsBytes(std::string_view(""))) == 1);
  CHECK(above->LowerBound(AsBytes(std::string_view("g"))) == 1);
  CHECK(above->LowerBound(AsBytes(std::string_view("h"))) == 2);
  CHECK(above->LowerBound(AsBytes(std::string_view("z"))) == 3);
}

TEST_CASE("CompareLmdbKeys orders by bytes, a prefix first", "[lmdb][page]") {
  const std::string_view ordered[] = {
      "", std::string_view("\0", 1), "a", "a0", "b", "\x7f", "\x80", "\xff"};
  for (std::size_t i = 0; i < std::size(ordered); ++i) {
    for (std::size_t j = 0; j < std::size(ordered); ++j) {
      const int order =
          CompareLmdbKeys(AsBytes(ordered[i]), AsBytes(ordered[j]));
      CHECK((order < 0) == (i < j));
      CHECK((order == 0) == (i == j));
    }
  }
}

TEST_CASE("A page that is another, or of no tree, is refused", "[lmdb][page]") {
  CHECK_THAT(Fault(Leaf(), 8).message(),
             Catch::Contains("not page 8 but one that calls itself 7"));
  for (const int flags : {0, 3, 4, 8, 0x12, 0xffff}) {
    const Status status = AfterChange([&](std::string& bytes) {
      Poke(bytes, 10, static_cast<std::uint16_t>(flags));
    });
    CHECK(status.code() == Code::kCorrupt);
    CHECK(status.where().offset == 10);
    CHECK_THAT(status.message(),
               Catch::Contains("page flags " + std::to_string(flags)));
  }
}

TEST_CASE("Bounds of free space that cannot be are refused", "[lmdb][page]") {
  const auto with = [](std::uint16_t lower, std::uint16_t upper) {
    return AfterChange([&](std::string& bytes) {
      Poke(bytes, 12, lower);
      Poke(bytes, 14, upper);
    });
  };
  const std::uint16_t upper = LoadLe<std::uint16_t>(&AsBytes(Leaf())[14]);
  REQUIRE(with(24, upper).ok());
  const std::pair<std::uint16_t, std::uint16_t> impossible[] = {
      {14, upper}, {25, upper}, {24, 22}, {24, 4098}, {0, 0}, {0xfffe, 0xffff}};
  for (const auto& [low, high] : impossible) {
    CHECK_THAT(with(low, high).message(), Catch::Contains("free space"));
  }
  CHECK_THAT(with(16, 4096).message(), Catch::Contains("too few nodes"));
  // A branch of one child leads nowhere else.
  const std::string lonely = PageMaker(9, kLmdbBranch).Child("", 3).Make();
  CHECK_THAT(Fault(lonely, 9).message(), Catch::Contains("too few nodes"));
}

TEST_CASE("Node offsets outside of the nodes are refused at their place",
          "[lmdb][page]") {
  const std::uint16_t upper = LoadLe<std::uint16_t>(&AsBytes(Leaf())[14]);
  for (const int at : {0, 16, upper - 2, upper + 1, 4090, 4096, 65534}) {
    const Status status = AfterChange([&](std::string& bytes) {
      Poke(bytes, 18, static_cast<std::uint16_t>(at));
    });
    CHECK(status.code() == Code::kCorrupt);
    CHECK(status.where().offset == 18);
    CHECK_THAT(status.message(), Catch::Contains("where nodes are"));
  }
}

TEST_CASE("Nodes that share bytes or leave some are refused", "[lmdb][page]") {
  // The second node is the first once more.
  const Status shared = AfterChange([](std::string& bytes) {
    Poke(bytes, 18, LoadLe<std::uint16_t>(&AsBytes(bytes)[16]));
  });
  CHECK_THAT(shared.message(), Catch::Contains("overlap, or leave gaps"));
  // A value that ends two bytes early.
  const Status gap = AfterChange([](std::string& bytes) {
    const auto node = LoadLe<std::uint16_t>(&AsBytes(bytes)[16]);
    Poke(bytes, node, std::uint32_t{3});
  });
  CHECK_THAT(gap.message(), Catch::Contains("overlap, or leave gaps"));
}

TEST_CASE("A node that reaches beyond its page is refused", "[lmdb][page]") {
  const auto with_size = [](std::uint32_t size) {
    return AfterChange([&](std::string& bytes) {
      Poke(bytes, LoadLe<std::uint16_t>(&AsBytes(bytes)[16]), size);
    });
  };
  for (const std::uint32_t size : {100U, 4096U, 0x7fffffffU, 0xffffffffU}) {
    CHECK_THAT(with_size(size).message(), Catch::Contains("beyond its page"));
  }
  const Status key = AfterChange([](std::string& bytes) {
    Poke(bytes, LoadLe<std::uint16_t>(&AsBytes(bytes)[16]) + 6U,
         std::uint16_t{0xffff});
  });
  CHECK_THAT(key.message(), Catch::Contains("beyond its page"));
}

TEST_CASE("Keys that are empty, equal or out of order are refused",
          "[lmdb][page]") {
  const auto leaf = [](const std::string& first, const std::string& second) {
    return Fault(
        PageMaker(7, kLmdbLeaf).Value(first, "").Value(second, "").Make(), 7);
  };
  CHECK(leaf("a", "b").ok());
  CHECK_THAT(leaf("", "b").message(), Catch::Contains("an empty key"));
  CHECK_THAT(leaf("a", "a").message(), Catch::Contains("out of order"));
  CHECK_THAT(leaf("b", "a").message(), Catch::Contains("out of order"));
  CHECK_THAT(leaf("ab", "a").message(), Catch::Contains("out of order"));
  // The first key of a branch stands for nothing and may be any.
  const auto branch = [](const std::string& first, const std::string& third) {
    return Fault(PageMaker(9, kLmdbBranch)
                     .Child(first, 3)
                     .Child("g", 4)
                     .Child(third, 5)
                     .Make(),
                 9);
  };
  CHECK(branch("zzz", "h").ok());
  CHECK_THAT(branch("", "g").message(), Catch::Contains("out of order"));
}

TEST_CASE("A named database is a node with a record, other flags are refused",
          "[lmdb][page]") {
  const auto with = [](std::uint16_t flags, std::uint32_t size = 48) {
    return Fault(PageMaker(7, kLmdbLeaf)
                     .Node("train", std::string(size, 'x'), size, flags)
                     .Make(),
                 7);
  };
  CHECK(with(0).ok());
  CHECK(with(2).ok());
  const Status named = with(2, 46);
  CHECK(named.code() == Code::kCorrupt);
  CHECK(named.message() == "a named database with a record of another size");
  for (const int flags : {3, 4, 6, 0x100}) {
    CHECK_THAT(with(static_cast<std::uint16_t>(flags)).message(),
               Catch::Contains("node flags " + std::to_string(flags)));
  }
}

TEST_CASE("No byte of a page, whatever its value, leads out of it",
          "[lmdb][page][corruption]") {
  for (const std::string& whole : {Leaf(), Branch()}) {
    const auto number = LoadLe<std::uint64_t>(AsBytes(whole).data());
    int refused = 0;
    for (std::size_t at = 8; at < whole.size(); ++at) {
      if (at == 32) at = whole.size() - 120;
      for (int value = 0; value < 256; value += 3) {
        std::string bytes = whole;
        bytes[at] = static_cast<char>(value);
        const auto page = LmdbPage::Parse(AsBytes(bytes), number);
        if (!page.ok()) {
          ++refused;
          continue;
        }
        for (std::size_t i = 0; i < page->count(); ++i) {
          const ByteView key = page->key(i);
          REQUIRE(key.data() >= AsBytes(bytes).data());
          REQUIRE(key.data() + key.size() <=
                  AsBytes(bytes).data() + bytes.size());
          if (!page->is_leaf()) continue;
          const LmdbLeafNode node = page->leaf(i);
          const std::size_t size = node.overflow ? 8 : node.size;
          REQUIRE(node.value_at + size <= bytes.size());
        }
      }
    }
    CHECK(refused > 1000);
  }
}

}  // namespace
}  // namespace shardine::lmdb_page_test
