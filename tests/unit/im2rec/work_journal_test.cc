#include "im2rec/work_journal.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "io/memory_storage.h"

namespace shardine::work_journal_test {
namespace {

const std::string kPath = "/out/.a.rec.journal";
const Digest128 kWork = Xxh3_128(AsBytes("work"));

WorkMark Mark(std::uint64_t number) {
  WorkMark mark{.list_offset = 100 * number,
                .records = number,
                .empty = number / 2,
                .rejected = number / 3,
                .files = {}};
  for (FileMark& file : mark.files) {
    file = {10 * ++number, Xxh3_128(AsBytes(std::to_string(number)))};
  }
  return mark;
}

std::vector<WorkMark> Found(MemoryStorage& storage) {
  const auto found = ReadWorkJournal(storage, kPath, kWork);
  REQUIRE(found.ok());
  REQUIRE(*found);
  return (*found)->marks;
}

// Two marks at the start, and one more.
void PutJournal(MemoryStorage& storage) {
  REQUIRE(storage.CreateDirectories("/out").ok());
  const std::vector<WorkMark> marks = {Mark(1), Mark(2)};
  auto journal = WorkJournal::Begin(storage, kPath, kWork, marks);
  REQUIRE(journal.ok());
  REQUIRE(journal->Add(Mark(3)).ok());
}

TEST_CASE("A journal gives back the marks that were put into it", "[im2rec]") {
  MemoryStorage storage;
  CHECK_FALSE(*ReadWorkJournal(storage, kPath, kWork));
  PutJournal(storage);
  CHECK(Found(storage) == std::vector<WorkMark>{Mark(1), Mark(2), Mark(3)});
}

TEST_CASE("A journal says nothing to other work", "[im2rec]") {
  MemoryStorage storage;
  PutJournal(storage);
  const auto found =
      ReadWorkJournal(storage, kPath, Xxh3_128(AsBytes("other")));
  REQUIRE(found.ok());
  REQUIRE(*found);
  CHECK_FALSE((*found)->of_this_work);
  CHECK((*found)->marks.empty());
}

TEST_CASE("A journal that is cut off or damaged gives marks before the damage",
          "[im2rec][corruption]") {
  MemoryStorage storage;
  PutJournal(storage);
  const std::string whole = *storage.Get(kPath);
  const std::vector<WorkMark> all = {Mark(1), Mark(2), Mark(3)};
  const auto check = [&](std::size_t at) {
    INFO("byte " << at);
    const std::vector<WorkMark> found = Found(storage);
    // Lines that end before the byte are whole.
    const auto whole_lines = static_cast<std::size_t>(std::count(
        whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
    const std::size_t expected = whole_lines == 0 ? 0 : whole_lines - 1;
    CHECK(found == std::vector<WorkMark>(
                       all.begin(),
                       all.begin() + static_cast<std::ptrdiff_t>(expected)));
  };
  for (std::size_t at = 0; at < whole.size(); ++at) {
    storage.Put(kPath, whole.substr(0, at));
    check(at);
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 4);
    storage.Put(kPath, damaged);
    check(at);
  }
}

}  // namespace
}  // namespace shardine::work_journal_test
