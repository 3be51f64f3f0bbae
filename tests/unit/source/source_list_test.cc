#include "source/source_list.h"

#include <catch2/catch.hpp>
#include <string>
#include <utility>
#include <vector>

namespace shardine::source_list_test {
namespace {

std::vector<Label> LabelsOf(const SourceList& list, std::size_t index) {
  std::vector<Label> labels = {Label(99)};
  list.GetLabels(index, labels);
  return labels;
}

TEST_CASE("SourceList holds no, one and several labels exactly",
          "[source_list]") {
  const std::vector<std::vector<Label>> cases = {
      {},
      {Label(7)},
      {Label(-1)},
      {Label(INT64_MIN)},
      {Label::FromReal(0.5)},
      {Label::FromReal(-1e300)},
      {Label(1), Label::FromReal(0.25), Label(3)},
      {Label::FromReal(0.1), Label::FromReal(0.2)}};
  SourceList list;
  for (const auto& labels : cases) list.Add("k", 0, labels, 0);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    INFO(i);
    CHECK(LabelsOf(list, i) == cases[i]);
    CHECK(list.label_count(i) == cases[i].size());
    const bool is_class = cases[i].size() == 1 && cases[i][0].is_integer();
    CHECK(list.class_label(i).has_value() == is_class);
  }
  CHECK(list.class_label(2) == -1);
}

TEST_CASE("SourceList keeps what each setter set and nothing else",
          "[source_list]") {
  SourceList list;
  const Label label(5);
  for (const char* key : {"a", "b", "c"}) {
    list.Add(key, 1, std::span(&label, 1), 2);
  }
  list.SetId(1, UINT64_MAX);
  list.SetSplit(1, SourceList::kMaxSplits - 1);
  list.SetRoot(1, SourceList::kMaxRoots - 1);
  list.SetFacts(1, {std::uint64_t{1} << 40, -3});
  list.SetLabel(1, Label::FromReal(0.5));
  for (const std::size_t i : {std::size_t{0}, std::size_t{2}}) {
    CHECK(list.id(i) == 1);
    CHECK(list.split(i) == 2);
    CHECK(list.root(i) == 0);
    CHECK(list.facts(i) == SourceFacts{0, 0});
    CHECK(list.class_label(i) == 5);
  }
  CHECK(list.key(1) == "b");
  CHECK(list.id(1) == UINT64_MAX);
  CHECK(list.split(1) == 65535);
  CHECK(list.root(1) == 16383);
  CHECK(list.facts(1) == SourceFacts{std::uint64_t{1} << 40, -3});
  CHECK(LabelsOf(list, 1) == std::vector<Label>{Label::FromReal(0.5)});
}

TEST_CASE("SourceList replaces several labels by one", "[source_list]") {
  SourceList list;
  const std::vector<Label> several = {Label(1), Label(2)};
  list.Add("a", 0, several, 0);
  list.Add("b", 1, several, 0);
  list.SetLabel(0, Label(9));
  CHECK(LabelsOf(list, 0) == std::vector<Label>{Label(9)});
  CHECK(LabelsOf(list, 1) == several);
}

TEST_CASE("SourceList holds keys of any bytes and length", "[source_list]") {
  const std::vector<std::string> keys = {
      std::string(),
      std::string("a\0b", 3),
      "\xff\n\t\"",
      std::string((1u << 20) - 3, 'x'),  // fills the chunk to its end
      std::string(),
      "after",
      std::string((1u << 20) + 1, 'y'),
      std::string(),
      std::string(1u << 20, 'z'),
      "end"};
  SourceList list;
  for (const std::string& key : keys) list.Add(key, 0, {}, 0);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    INFO(i);
    CHECK(std::string(list.key(i)) == keys[i]);
  }
}

TEST_CASE("SourceList keeps chosen samples with all that belongs to them",
          "[source_list]") {
  SourceList list;
  constexpr std::size_t kCount = 30'000;  // over several blocks
  for (std::size_t i = 0; i < kCount; ++i) {
    const std::vector<Label> labels(i % 3, Label(static_cast<int64_t>(i)));
    list.Add("key" + std::to_string(i), i, labels,
             static_cast<std::uint32_t>(i % 5));
    list.SetRoot(i, static_cast<std::uint32_t>(i % 7));
    list.SetFacts(i, {i * 10, static_cast<std::int64_t>(i)});
  }
  std::vector<bool> flags(kCount);
  for (std::size_t i = 0; i < kCount; ++i) flags[i] = i % 11 == 4;
  list.Keep(flags);
  REQUIRE(list.size() == (kCount - 4 + 10) / 11);
  for (std::size_t i = 0; i < list.size(); ++i) {
    const std::size_t was = i * 11 + 4;
    REQUIRE(list.key(i) == "key" + std::to_string(was));
    REQUIRE(list.id(i) == was);
    REQUIRE(list.split(i) == was % 5);
    REQUIRE(list.root(i) == was % 7);
    REQUIRE(list.facts(i) ==
            SourceFacts{was * 10, static_cast<std::int64_t>(was)});
    REQUIRE(LabelsOf(list, i) ==
            std::vector<Label>(was % 3, Label(static_cast<int64_t>(was))));
  }
  // The next sample does not meet the remains of the removed one.
  const std::size_t next = list.Add("new", 1, {}, 0);
  CHECK(list.key(next) == "new");
  CHECK(list.label_count(next) == 0);
}

TEST_CASE("SourceList can be moved and emptied", "[source_list]") {
  SourceList list;
  list.Add("a", 1, {}, 0);
  SourceList moved = std::move(list);
  CHECK(moved.key(0) == "a");
  moved.Keep({false});
  CHECK(moved.size() == 0);
  moved.Add("b", 2, {}, 0);
  CHECK(moved.key(0) == "b");
}

}  // namespace
}  // namespace shardine::source_list_test
