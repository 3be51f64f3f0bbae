// Classes by the folders in keys, of records and of lists.
#include <catch2/catch.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "dataset/class_names.h"
#include "io/memory_storage.h"
#include "pack/class_name_file.h"

namespace shardine::folder_names_test {
namespace {

struct Row {
  std::int64_t label = 0;
  std::string key;
  std::string class_name = {};
};

// "0 ant, 3 bee"; "-" if the names do not agree.
std::string NamesOf(const std::vector<Row>& rows) {
  // In two halves, as two shards are.
  ClassNames names;
  ClassNames second;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Label label(rows[i].label);
    ScannedSample scanned;
    scanned.key = rows[i].key;
    scanned.labels = {&label, 1};
    scanned.class_name = rows[i].class_name;
    (i % 2 == 0 ? names : second).Add(scanned);
  }
  names.Add(second);
  const auto classes = names.Classes();
  if (!classes) return "-";
  std::string text;
  for (const ClassInfo& info : *classes) {
    text += (text.empty() ? "" : ", ") + std::to_string(info.label) + " " +
            info.name;
  }
  CHECK(names.named_by_folders() ==
        (!text.empty() && rows[0].class_name.empty()));
  return text;
}

TEST_CASE("Folders in keys name classes where they are one for each label",
          "[class_names]") {
  CHECK(NamesOf({{3, "bee/1.jpg"}, {0, "ant/2.jpg"}, {3, "bee/x/3.jpg"}}) ==
        "0 ant, 3 bee");
  CHECK(NamesOf({{3, "train/bee/1.jpg"},
                 {0, "train/ant/2.jpg"},
                 {3, "val/bee/3.jpg"}}) == "0 ant, 3 bee");
  CHECK(NamesOf({{3, "a/bee/1.jpg"}, {0, "a/ant/2.jpg"}, {0, "b/ant/3.jpg"}}) ==
        "0 ant, 3 bee");
}

TEST_CASE("Folders that do not tell labels apart name none", "[class_names]") {
  CHECK(NamesOf({{0, "a/1.jpg"}, {1, "a/2.jpg"}}).empty());
  CHECK(NamesOf({{0, "a/1.jpg"}, {1, "b/2.jpg"}, {0, "c/3.jpg"}}).empty());
  CHECK(NamesOf({{0, "a/1.jpg"}, {1, "b/2.jpg"}, {1, "3.jpg"}}).empty());
  CHECK(NamesOf({{0, "/1.jpg"}, {1, "b/2.jpg"}}).empty());
  // One folder alone may be called anything.
  CHECK(NamesOf({{0, "images/1.jpg"}, {0, "images/2.jpg"}}).empty());
  CHECK(NamesOf({}).empty());
}

TEST_CASE("What records say themselves comes before folders", "[class_names]") {
  CHECK(NamesOf({{0, "a/1.jpg", "ant"}, {1, "b/2.jpg", "bee"}}) ==
        "0 ant, 1 bee");
  CHECK(NamesOf({{0, "a/1.jpg", "ant"}, {1, "b/2.jpg"}}) == "-");
  CHECK(NamesOf({{0, "a/1.jpg", "ant"}, {0, "a/2.jpg", "bee"}}) == "-");
}

TEST_CASE("A list names classes by the folders of its keys", "[class_names]") {
  MemoryStorage storage;
  const auto read = [&](const std::string& text) {
    storage.Put("list", text);
    return ReadClassNames(storage, "list");
  };
  const auto classes = read("0\t3\tn2/a.JPEG\n1\t0.000000\tn1/b.JPEG\n");
  REQUIRE(classes.status().ToString() == "OK");
  CHECK(*classes == ClassMap{{"n1", 0}, {"n2", 3}});
  for (const char* wrong :
       {"0\t3\ta.jpg\n", "0\t3\tn1/a.jpg\n1\t4\tn1/b.jpg\n",
        "0\t3\t1\tn1/a.jpg\n", "0\t0.5\tn1/a.jpg\n", "x\t3\tn1/a.jpg\n"}) {
    const Status status = read(wrong).status();
    INFO(wrong);
    CHECK(status.code() == Code::kCorrupt);
    CHECK(status.where().path == "list");
  }
}

}  // namespace
}  // namespace shardine::folder_names_test
