#include "io/sparse_table.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <string>

#include "base/philox.h"

namespace shardine::sparse_table_test {
namespace {

TEST_CASE("SparseTable holds what was put, whatever the sizes", "[sparse]") {
  SparseTable table;
  CHECK(table.empty());
  CHECK_FALSE(table.Find("a"));
  const std::uint64_t values[] = {0, 127, 128, 16383, 16384, ~std::uint64_t{0}};
  for (const std::uint64_t value : values) {
    table.Put(std::to_string(value), {value, ~value});
  }
  table.Put("", {1, 2});
  table.Put(std::string(255, 'n'), {3, 4});
  for (const std::uint64_t value : values) {
    const auto entry = table.Find(std::to_string(value));
    REQUIRE(entry);
    CHECK(entry->size == value);
    CHECK(entry->serial == ~value);
  }
  CHECK(table.Find("")->serial == 2);
  CHECK(table.Find(std::string(255, 'n'))->size == 3);
  CHECK_FALSE(table.Find(std::string(254, 'n')));
  CHECK(table.Names().size() == 8);
}

TEST_CASE("SparseTable equals a map under puts, replacements and erasures",
          "[sparse]") {
  SparseTable table;
  std::map<std::string, std::uint64_t> expected;
  for (std::uint32_t i = 0; i < 40000; ++i) {
    const auto random = Philox4x32({i, 0, 0, 0}, {1, 2});
    const std::string name = "n" + std::to_string(random[0] % 3000) + ".JPEG";
    if (random[1] % 3 == 0) {
      table.Erase(name);
      expected.erase(name);
    } else {
      table.Put(name, {random[2], i});
      expected[name] = random[2];
    }
  }
  std::vector<std::string> names = table.Names();
  std::sort(names.begin(), names.end());
  REQUIRE(names.size() == expected.size());
  std::size_t at = 0;
  for (const auto& [name, size] : expected) {
    REQUIRE(names[at++] == name);
    REQUIRE(table.Find(name)->size == size);
  }
  for (int i = 3000; i < 4000; ++i) {
    CHECK_FALSE(table.Find("n" + std::to_string(i) + ".JPEG"));
  }
  for (const auto& [name, size] : expected) table.Erase(name);
  CHECK(table.empty());
  CHECK(table.Names().empty());
}

}  // namespace
}  // namespace shardine::sparse_table_test
