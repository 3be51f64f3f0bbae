#include "source/exact_copies.h"

#include <catch2/catch.hpp>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "io/memory_storage.h"
#include "support/draws.h"

namespace shardine::exact_copies_test {
namespace {

using Groups = std::set<std::set<std::uint32_t>>;

Groups GroupsOf(const std::vector<Likeness>& twins) {
  Groups groups;
  std::set<std::uint32_t> group;
  for (std::size_t i = 0; i < twins.size(); ++i) {
    if (i > 0 && twins[i].of != twins[i - 1].of) {
      groups.insert(std::exchange(group, {}));
    }
    group.insert(twins[i].sample);
  }
  if (!group.empty()) groups.insert(group);
  return groups;
}

SourceSet PutFiles(MemoryStorage& storage,
                   const std::vector<std::string>& contents) {
  SourceSet set;
  set.roots = {"tree"};
  set.splits = {"train"};
  for (std::size_t i = 0; i < contents.size(); ++i) {
    const std::string key = std::to_string(i) + ".jpg";
    storage.Put("tree/" + key, contents[i]);
    set.samples.Add(key, i, {}, 0);
    set.samples.SetFacts(i, {contents[i].size(), 0});
  }
  return set;
}

TEST_CASE("Files of the same bytes are found, and no others", "[copies]") {
  MemoryStorage storage;
  Draws draws(1);
  const std::string large = draws.Bytes(3 << 20);
  std::string late = large;
  late.back() ^= 1;
  const std::string small = draws.Bytes(100);
  std::string other = small;
  other[50] ^= 1;
  const SourceSet set = PutFiles(
      storage, {large, small, late, large, other, small, "", small, "x", ""});
  const auto twins = CopiedFiles(storage, set);
  REQUIRE(twins.ok());
  CHECK(GroupsOf(*twins) == Groups{{0, 3}, {1, 5, 7}, {6, 9}});
}

TEST_CASE("A file that cannot be read is like no other", "[copies]") {
  MemoryStorage storage;
  SourceSet set = PutFiles(storage, {"abc", "abc", "abc", "xyz"});
  REQUIRE(storage.Remove("tree/1.jpg").ok());
  std::mutex mutex;
  std::vector<std::string> failed;
  const auto twins =
      CopiedFiles(storage, set, [&](std::uint32_t sample, const Status& why) {
        const std::lock_guard lock(mutex);
        CHECK(sample == 1);
        failed.push_back(why.where().path);
      });
  REQUIRE(twins.ok());
  CHECK(GroupsOf(*twins) == Groups{{0, 2}});
  CHECK(failed == std::vector<std::string>{"tree/1.jpg"});
}

TEST_CASE("Candidates that are like no other are not read", "[copies]") {
  std::vector<Likeness> candidates;
  for (std::uint32_t i = 0; i < 100; ++i) {
    candidates.push_back({{.low = i / 2 * 2 == 8 ? 8 : 1000 + i}, i});
  }
  std::set<std::uint32_t> read;
  const auto twins =
      TwinsOf(candidates, 1, [&](std::uint32_t i) -> Result<Digest128> {
        read.insert(i);
        return Digest128{.low = i};
      });
  CHECK(read == std::set<std::uint32_t>{8, 9});
  REQUIRE(twins.ok());
  CHECK(twins->empty());
}

}  // namespace
}  // namespace shardine::exact_copies_test
