// LMDB files made by hand, of pages of 512 bytes.
#ifndef SHARDINE_TESTS_UNIT_LMDB_FILE_MAKER_H_
#define SHARDINE_TESTS_UNIT_LMDB_FILE_MAKER_H_

#include <string>

#include "unit/lmdb/page_maker.h"

namespace shardine {

inline constexpr std::uint32_t kSmallPage = 512;

inline std::string MetaPage(std::uint64_t number, std::uint64_t transaction,
                            const LmdbMeta& meta) {
  std::string page(kSmallPage, '\0');
  Poke(page, 0, number);
  Poke(page, 10, kLmdbMetaPage);
  Poke(page, 16, std::uint32_t{0xbeefc0de});
  Poke(page, 20, std::uint32_t{1});
  Poke(page, 32, std::uint64_t{1} << 20);
  Poke(page, 40, kSmallPage);
  Poke(page, 80, kLmdbNoPage);
  Poke(page, 94, meta.depth);
  Poke(page, 96, meta.branch_pages);
  Poke(page, 104, meta.leaf_pages);
  Poke(page, 112, meta.overflow_pages);
  Poke(page, 120, meta.entries);
  Poke(page, 128, meta.root);
  Poke(page, 136, meta.last_page);
  Poke(page, 144, transaction);
  return page;
}

// The pages of a value that has its own.
inline std::string ValuePages(std::uint64_t number, const std::string& value) {
  const std::size_t pages = (15 + value.size()) / kSmallPage + 1;
  std::string bytes(pages * kSmallPage, '\0');
  Poke(bytes, 0, number);
  Poke(bytes, 10, kLmdbOverflow);
  Poke(bytes, 12, static_cast<std::uint32_t>(pages));
  return bytes.replace(16, value.size(), value);
}

// `pages` are those from number 2 on. The second meta page is the newer.
inline std::string MadeFile(LmdbMeta meta, const std::string& pages) {
  meta.last_page = 1 + pages.size() / kSmallPage;
  return MetaPage(0, 2, {.last_page = 1}) + MetaPage(1, 3, meta) + pages;
}

// Pages 2: branch; 3, 4, 5: leaves; 6 and 7: the value of "h".
inline std::string SmallTree() {
  const auto page = [](std::uint64_t number, std::uint16_t flags) {
    return PageMaker(number, flags, kSmallPage);
  };
  return MadeFile(
      {.root = 2,
       .depth = 2,
       .branch_pages = 1,
       .leaf_pages = 3,
       .overflow_pages = 2,
       .entries = 9},
      page(2, kLmdbBranch).Child("", 3).Child("g", 4).Child("pe", 5).Make() +
          page(3, kLmdbLeaf)
              .Value("a", "first")
              .Value("b", "")
              .Value("cc", "third")
              .Make() +
          page(4, kLmdbLeaf)
              .Value("g", "4")
              .Overflow("h", 700, 6)
              .Value("k", "six!")
              .Make() +
          page(5, kLmdbLeaf)
              .Value("pe", "seven")
              .Value("q", "8")
              .Value("r", std::string(90, '9'))
              .Make() +
          ValuePages(6, std::string(700, 'v')));
}

}  // namespace shardine

#endif  // SHARDINE_TESTS_UNIT_LMDB_FILE_MAKER_H_
