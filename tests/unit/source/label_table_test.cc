#include "source/label_table.h"

#include <catch2/catch.hpp>

#include "io/memory_storage.h"

namespace shardine::label_table_test {
namespace {

Result<LabelTable> Read(const std::string& name, const std::string& text) {
  MemoryStorage storage;
  storage.Put(name, text);
  return LabelTable::Read(storage, name, LabelTable::By::kId);
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
  CHECK(list->has_ids());
  CHECK(LabelsOf(*list, 9) == std::vector<Label>{1});
  CHECK(LabelsOf(*list, 3) == std::vector<Label>{Label::FromReal(0.5), -7});
  CHECK(LabelsOf(*list, ~std::uint64_t{0}).empty());
  CHECK_FALSE(list->FindId(0));
  CHECK_FALSE(list->FindId(4));
  CHECK_FALSE(*list->FindKey("x"));
}

Result<LabelTable> ReadBoth(const std::string& name, const std::string& text) {
  MemoryStorage storage;
  storage.Put(name, text);
  return LabelTable::Read(storage, name, LabelTable::By::kBoth);
}

TEST_CASE("LabelTable takes a JSON list with ids and without",
          "[label_table]") {
  const auto ids = ReadBoth("a.json",
                            R"([{"path": "x", "label": 3, "id": 5},
                                {"path": "y", "labels": [1, 2], "id": 4}])");
  REQUIRE(ids.status().ToString() == "OK");
  CHECK(ids->has_ids());
  CHECK(LabelsOf(*ids, 4) == std::vector<Label>{1, 2});
  CHECK(**ids->FindKey("y") == *ids->FindId(4));

  auto keys = ReadBoth("a.json",
                       R"([{"path": "n/y", "label": 3},
                           {"path": "n/x", "labels": []}])");
  REQUIRE(keys.status().ToString() == "OK");
  CHECK_FALSE(keys->has_ids());
  CHECK(keys->labels(**keys->FindKey("n/y")).size() == 1);
  CHECK(keys->labels(**keys->FindKey("n/x")).empty());
  CHECK_FALSE(*keys->FindKey("n/z"));
  CHECK(keys->PlaceOf(**keys->FindKey("n/x")) == "entry 1");
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
        "a.json: record 1: id 5 occurs twice");
  CHECK(refused("a.json", R"([{"path": "x", "label": 3}, "y"])") ==
        "a.json: record 1: has no labels to put in place");
  CHECK(refused("a.json", R"([{"path": "x", "label": 3},
                              {"path": "y", "label": 3, "id": 1}])") ==
        "a.json: record 1: either all entries have an \"id\" or none");
}

TEST_CASE("LabelTable passes on what is wrong with the file", "[label_table]") {
  MemoryStorage storage;
  CHECK(LabelTable::Read(storage, "none.lst", LabelTable::By::kId)
            .status()
            .code() == Code::kNotFound);
  CHECK(Read("a.lst", "3\tone\tx\n").status().code() == Code::kCorrupt);
  CHECK(Read("a.json", "[").status().code() == Code::kCorrupt);
  CHECK(Read("a.json", "[").status().where().path == "a.json");
}

TEST_CASE("LabelTable names the line that says an id again", "[label_table]") {
  // Two ids are there twice: the first such line counts, in any order of ids.
  const std::string ids = "3\t1\tx\n9\t1\ty\n9\t1\tz\n3\t1\tu\n";
  const Status status = Read("a.lst", ids).status();
  CHECK(status.code() == Code::kCorrupt);
  CHECK(status.where().path == "a.lst");
  CHECK(status.where().offset == 12);
  CHECK(status.message() == "line 3: id 9 occurs twice");
  // Where keys tell rows apart, such ids are of no use, and no fault.
  const auto both = ReadBoth("a.lst", ids);
  REQUIRE(both.ok());
  CHECK_FALSE(both->has_ids());
  CHECK(both->PlaceOf(**both->FindKey("z")) == "line 3");
}

TEST_CASE("LabelTable takes lists of all forms, and knows which have ids",
          "[label_table]") {
  const auto blanks = ReadBoth("a.lst", "3 1 x.jpg\n4 2 y.jpg\n");
  REQUIRE(blanks.ok());
  CHECK(blanks->has_ids());
  CHECK(LabelsOf(*blanks, 4) == std::vector<Label>{2});
  const auto paths = ReadBoth("a.lst", "x.jpg 1\ny.jpg 2\n");
  REQUIRE(paths.ok());
  CHECK_FALSE(paths->has_ids());
  CHECK(paths->labels(**paths->FindKey("y.jpg"))[0] == Label(2));
}

TEST_CASE(
    "LabelTable by both finds keys whatever is around them, unless they "
    "say two things",
    "[label_table]") {
  const auto list = ReadBoth(
      "a.lst",
      "7\t1\t./a.jpg\n2\t5\tb.jpg\n4\t5\t ./b.jpg \n5\t1\tc\n1\t2\t./c\n");
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
  auto list = ReadBoth("a.lst", "1\t8\tx\n2\t9\ta-longer-key.jpeg\n");
  REQUIRE(list.ok());
  const LabelTable moved = *std::move(list);
  CHECK(moved.labels(**moved.FindKey("x"))[0] == Label(8));
  CHECK(moved.labels(**moved.FindKey("a-longer-key.jpeg"))[0] == Label(9));
}

TEST_CASE("LabelTable finds keys without a suffix, and of Windows",
          "[source][table]") {
  MemoryStorage storage;
  storage.Put("l.csv",
              "path,label\na\\b,1\nc/d.jpg,2\ne.jpg.png,3\na/f.tar,4\n");
  const auto table = LabelTable::Read(storage, "l.csv", LabelTable::By::kBoth);
  REQUIRE(table.status().ToString() == "OK");
  CHECK(table->columns() == "columns: path, label; header: yes");
  const auto row_of = [&](const char* key) {
    const auto row = table->FindKey(key);
    REQUIRE(row.ok());
    return row->value_or(9);
  };
  CHECK(row_of("a/b.jpg") == 0);
  CHECK(row_of("a/b") == 0);
  CHECK(row_of("a/b.txt") == 9);
  CHECK(row_of("./c/d.jpg") == 1);
  CHECK(row_of("c/d.png") == 9);
  CHECK(row_of("c/d.jpg.png") == 9);
  CHECK(row_of("e.jpg") == 9);
  CHECK(row_of("a/f.tar.png") == 3);
}

}  // namespace
}  // namespace shardine::label_table_test
