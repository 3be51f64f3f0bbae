#include "dataset/class_names.h"

#include <catch2/catch.hpp>
#include <optional>
#include <string>
#include <vector>

namespace shardine::class_names_test {
namespace {

struct Named {
  std::int64_t label = 0;
  std::string name;
  std::string text;
};

ClassNames Of(const std::vector<Named>& records) {
  ClassNames names;
  for (const Named& record : records) {
    const Label label(record.label);
    ScannedSample scanned;
    scanned.labels = {&label, 1};
    scanned.class_name = record.name;
    scanned.class_text = record.text;
    names.Add(scanned);
  }
  return names;
}

TEST_CASE("ClassNames takes texts for names where records have no others",
          "[dataset]") {
  const ClassMap expected = {{"tench", 1, 0, "tench"},
                             {"cock, rooster", 4, 0, "cock, rooster"}};
  CHECK(Of({{4, "", "cock, rooster"}, {1, "", "tench"}, {1, "", "tench"}})
            .Classes() == expected);
  ClassNames parts = Of({{4, "", "cock, rooster"}});
  parts.Add(Of({{1, "", "tench"}}));
  CHECK(parts.Classes() == expected);
}

TEST_CASE("ClassNames prefers names, whatever the texts are", "[dataset]") {
  const ClassMap expected = {{"n01", 0, 0, "fish"}, {"n02", 1, 0, "fish"}};
  CHECK(Of({{0, "n01", "fish"}, {0, "n01", "a fish"}, {1, "n02", "fish"}})
            .Classes() == expected);
  CHECK(Of({{3, "n03", ""}}).Classes() == ClassMap{{"n03", 3, 0, ""}});
}

TEST_CASE("ClassNames has no classes where texts say no class each",
          "[dataset]") {
  CHECK(Of({}).Classes() == ClassMap());
  CHECK(Of({{0, "", ""}, {1, "", ""}}).Classes() == ClassMap());
  // Two texts of a label, in one part or in two; one text of two labels; a
  // label without one, before or after.
  CHECK(Of({{0, "", "cat"}, {0, "", "dog"}}).Classes() == std::nullopt);
  ClassNames parts = Of({{0, "", "cat"}});
  parts.Add(Of({{0, "", "dog"}}));
  CHECK(parts.Classes() == std::nullopt);
  CHECK(Of({{0, "", "cat"}, {1, "", "cat"}}).Classes() == std::nullopt);
  CHECK(Of({{0, "", "cat"}, {0, "", ""}}).Classes() == std::nullopt);
  CHECK(Of({{0, "", ""}, {0, "", "cat"}}).Classes() == std::nullopt);
  CHECK(Of({{0, "", "cat"}, {1, "", ""}}).Classes() == std::nullopt);
  CHECK(Of({{0, "n0", "cat"}, {1, "", "dog"}}).Classes() == std::nullopt);
}

}  // namespace
}  // namespace shardine::class_names_test
