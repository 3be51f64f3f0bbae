#include "dataset/label_override.h"

#include <catch2/catch.hpp>

#include "io/memory_storage.h"

namespace shardine {
namespace {

Result<LabelOverride> Read(const std::string& name, const std::string& text) {
  MemoryStorage storage;
  storage.Put(name, text);
  return LabelOverride::Read(storage, name);
}

std::vector<Label> LabelsOf(const LabelOverride& list, std::uint64_t id) {
  const auto row = list.Find(id);
  REQUIRE(row);
  const auto labels = list.labels(*row);
  return {labels.begin(), labels.end()};
}

TEST_CASE("LabelOverride finds the labels of a .lst by id",
          "[label_override]") {
  const auto list =
      Read("a.lst", "9\t1\tx\n3\t0.5\t-7\ty\n18446744073709551615\tz\n");
  REQUIRE(list.status().ToString() == "OK");
  CHECK_FALSE(list->by_key());
  CHECK(LabelsOf(*list, 9) == std::vector<Label>{1});
  CHECK(LabelsOf(*list, 3) == std::vector<Label>{Label::FromReal(0.5), -7});
  CHECK(LabelsOf(*list, ~std::uint64_t{0}).empty());
  CHECK_FALSE(list->Find(std::uint64_t{0}));
  CHECK_FALSE(list->Find(std::uint64_t{4}));
  CHECK_FALSE(list->Find(std::string_view("x")));
}

TEST_CASE("LabelOverride takes a JSON list by id or by key",
          "[label_override]") {
  const auto ids = Read("a.json",
                        R"([{"path": "x", "label": 3, "id": 5},
                            {"path": "y", "labels": [1, 2], "id": 4}])");
  REQUIRE(ids.status().ToString() == "OK");
  CHECK_FALSE(ids->by_key());
  CHECK(LabelsOf(*ids, 4) == std::vector<Label>{1, 2});

  auto keys = Read("a.json",
                   R"([{"path": "n/y", "label": 3},
                       {"path": "n/x", "labels": []}])");
  REQUIRE(keys.status().ToString() == "OK");
  CHECK(keys->by_key());
  CHECK(keys->labels(*keys->Find(std::string_view("n/y"))).size() == 1);
  CHECK(keys->labels(*keys->Find(std::string_view("n/x"))).empty());
  CHECK_FALSE(keys->Find(std::string_view("n/z")));
  CHECK_FALSE(keys->Find(std::uint64_t{0}));
  const auto row = keys->Find(std::string_view("n/y"));
  keys->ForgetKeys();
  CHECK_FALSE(keys->Find(std::string_view("n/y")));
  CHECK(keys->labels(*row)[0] == Label(3));
}

TEST_CASE("LabelOverride refuses lists that say nothing, or two things",
          "[label_override]") {
  const auto refused = [](const std::string& name, const std::string& text) {
    const Status status = Read(name, text).status();
    CHECK(status.code() == Code::kInvalidArgument);
    return status.ToString();
  };
  CHECK(refused("a.lst", "3\t1\tx\n1\t1\ty\n3\t1\tz\n") ==
        "a.lst: id 3 is there twice");
  CHECK(refused("a.json", R"([{"path": "x", "label": 3, "id": 5},
                              {"path": "y", "label": 3, "id": 5}])") ==
        "a.json: id 5 is there twice");
  CHECK(refused("a.json", R"([{"path": "x", "label": 3},
                              {"path": "x", "label": 3}])") ==
        "a.json: record 1: \"x\" is there twice");
  CHECK(refused("a.json", R"([{"path": "x", "label": 3}, "y"])") ==
        "a.json: record 1: has no labels to put in place");
  CHECK(refused("a.json", R"([{"path": "x", "label": 3},
                              {"path": "y", "label": 3, "id": 1}])") ==
        "a.json: record 1: either all entries have an \"id\" or none");
}

TEST_CASE("LabelOverride passes on what is wrong with the file",
          "[label_override]") {
  MemoryStorage storage;
  CHECK(LabelOverride::Read(storage, "none.lst").status().code() ==
        Code::kNotFound);
  CHECK(Read("a.lst", "3\tone\tx\n").status().code() == Code::kCorrupt);
  CHECK(Read("a.json", "[").status().code() == Code::kCorrupt);
  CHECK(Read("a.json", "[").status().where().path == "a.json");
}

}  // namespace
}  // namespace shardine
