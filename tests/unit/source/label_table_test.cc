#include "source/label_table.h"

#include <catch2/catch.hpp>

#include "io/memory_storage.h"

namespace shardine::label_table_test {
namespace {

Result<LabelTable> Read(const std::string& name, const std::string& text) {
  MemoryStorage storage;
  storage.Put(name, text);
  return LabelTable::Read(storage, name);
}

std::vector<Label> LabelsOf(const LabelTable& list, std::uint64_t id) {
  const auto row = list.FindId(id);
  REQUIRE(row);
  const auto labels = list.labels(*row);
  return {labels.begin(), labels.end()};
}

TEST_CASE("LabelTable finds the labels of a .lst by id", "[label_table]") {
  const auto list =
      Read("a.lst", "9\t1\tx\n3\t0.5\t-7\ty\n18446744073709551615\tz\n");
  REQUIRE(list.status().ToString() == "OK");
  CHECK(list->by() == LabelTable::By::kId);
  CHECK(LabelsOf(*list, 9) == std::vector<Label>{1});
  CHECK(LabelsOf(*list, 3) == std::vector<Label>{Label::FromReal(0.5), -7});
  CHECK(LabelsOf(*list, ~std::uint64_t{0}).empty());
  CHECK_FALSE(list->FindId(0));
  CHECK_FALSE(list->FindId(4));
  CHECK_FALSE(*list->FindKey("x"));
}

TEST_CASE("LabelTable takes a JSON list by id or by key", "[label_table]") {
  const auto ids = Read("a.json",
                        R"([{"path": "x", "label": 3, "id": 5},
                            {"path": "y", "labels": [1, 2], "id": 4}])");
  REQUIRE(ids.status().ToString() == "OK");
  CHECK(ids->by() == LabelTable::By::kId);
  CHECK(LabelsOf(*ids, 4) == std::vector<Label>{1, 2});

  auto keys = Read("a.json",
                   R"([{"path": "n/y", "label": 3},
                       {"path": "n/x", "labels": []}])");
  REQUIRE(keys.status().ToString() == "OK");
  CHECK(keys->by() == LabelTable::By::kKey);
  CHECK(keys->labels(**keys->FindKey("n/y")).size() == 1);
  CHECK(keys->labels(**keys->FindKey("n/x")).empty());
  CHECK_FALSE(*keys->FindKey("n/z"));
  CHECK_FALSE(keys->FindId(0));
  const auto row = **keys->FindKey("n/y");
  keys->ForgetKeys();
  CHECK_FALSE(*keys->FindKey("n/y"));
  CHECK(keys->labels(row)[0] == Label(3));
}

TEST_CASE("LabelTable refuses lists that say nothing, or two things",
          "[label_table]") {
  const auto refused = [](const std::string& name, const std::string& text) {
    const Status status = Read(name, text).status();
    CHECK(status.code() == Code::kInvalidArgument);
    return status.ToString();
  };
  CHECK(refused("a.json", R"([{"path": "x", "label": 3, "id": 5},
                              {"path": "y", "label": 3, "id": 5}])") ==
        "a.json: record 1: id 5 is there twice");
  CHECK(refused("a.json", R"([{"path": "x", "label": 3},
                              {"path": "x", "label": 3}])") ==
        "a.json: record 1: \"x\" is there twice");
  CHECK(refused("a.json", R"([{"path": "x", "label": 3}, "y"])") ==
        "a.json: record 1: has no labels to put in place");
  CHECK(refused("a.json", R"([{"path": "x", "label": 3},
                              {"path": "y", "label": 3, "id": 1}])") ==
        "a.json: record 1: either all entries have an \"id\" or none");
}

TEST_CASE("LabelTable passes on what is wrong with the file", "[label_table]") {
  MemoryStorage storage;
  CHECK(LabelTable::Read(storage, "none.lst").status().code() ==
        Code::kNotFound);
  CHECK(Read("a.lst", "3\tone\tx\n").status().code() == Code::kCorrupt);
  CHECK(Read("a.json", "[").status().code() == Code::kCorrupt);
  CHECK(Read("a.json", "[").status().where().path == "a.json");
}

Result<LabelTable> ReadLst(const std::string& text, LabelTable::By by) {
  MemoryStorage storage;
  storage.Put("a.lst", text);
  return LabelTable::ReadLst(storage, "a.lst", by);
}

TEST_CASE("LabelTable names the line that says an id or a key again",
          "[label_table]") {
  // Two ids are there twice: the first such line counts, in any order of ids.
  const std::string ids = "3\t1\tx\n9\t1\ty\n9\t1\tz\n3\t1\tu\n";
  for (const auto by : {LabelTable::By::kId, LabelTable::By::kBoth}) {
    const Status status = ReadLst(ids, by).status();
    CHECK(status.code() == Code::kCorrupt);
    CHECK(status.where().path == "a.lst");
    CHECK(status.where().offset == 12);
    CHECK(status.message() == "line 3: id 9 is there twice");
  }
  const Status status =
      ReadLst("3\t1\tx\n3\t1\ty\n4\t1\tx\n", LabelTable::By::kKey).status();
  CHECK(status.message() == "line 3: \"x\" is there twice");
}

TEST_CASE("LabelTable by key knows the line of each row", "[label_table]") {
  const auto list = ReadLst("3\t1\tx\n\n3\t2\t./x\n", LabelTable::By::kKey);
  REQUIRE(list.status().ToString() == "OK");
  CHECK(list->size() == 2);
  CHECK(list->line(**list->FindKey("x")) == 1);
  CHECK(list->line(**list->FindKey("./x")) == 3);
  CHECK(list->key(**list->FindKey("./x")) == "./x");
  CHECK_FALSE(*list->FindKey(" x"));
  CHECK_FALSE(list->FindId(3));
}

TEST_CASE(
    "LabelTable by both finds keys whatever is around them, unless they "
    "say two things",
    "[label_table]") {
  const auto list = ReadLst(
      "7\t1\t./a.jpg\n2\t5\tb.jpg\n4\t5\t ./b.jpg \n5\t1\tc\n1\t2\t./c\n",
      LabelTable::By::kBoth);
  REQUIRE(list.status().ToString() == "OK");
  CHECK(**list->FindKey("a.jpg") == *list->FindId(7));
  CHECK(**list->FindKey("././a.jpg ") == *list->FindId(7));
  CHECK(list->key(*list->FindId(7)) == "./a.jpg");
  // Two rows with the same labels: either will do.
  CHECK(list->labels(**list->FindKey("b.jpg"))[0] == Label(5));
  const Status status = list->FindKey("./c").status();
  CHECK(status.code() == Code::kInvalidArgument);
  CHECK(status.where().key == "./c");
  CHECK(list->labels(*list->FindId(5))[0] == Label(1));
}

TEST_CASE("A LabelTable that was moved still finds its keys", "[label_table]") {
  auto list =
      ReadLst("1\t8\tx\n2\t9\ta-longer-key.jpeg\n", LabelTable::By::kBoth);
  REQUIRE(list.ok());
  const LabelTable moved = *std::move(list);
  CHECK(moved.labels(**moved.FindKey("x"))[0] == Label(8));
  CHECK(moved.labels(**moved.FindKey("a-longer-key.jpeg"))[0] == Label(9));
}

}  // namespace
}  // namespace shardine::label_table_test
