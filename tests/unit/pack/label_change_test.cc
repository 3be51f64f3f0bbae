// Label maps: new labels, names of classes, and refusals.
#include "pack/label_change.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "io/memory_storage.h"

namespace shardine::label_change_test {
namespace {

const ClassMap kPets = {{"cat", 0, 5, "a cat"},
                        {"dog", 1, 4, "a dog"},
                        {"car", 2, 3, ""},
                        {"7", 3, 2, ""}};

Result<LabelChange> Read(const std::string& text,
                         const ClassMap& classes = kPets) {
  MemoryStorage storage;
  storage.Put("map", text);
  return LabelChange::Read(storage, "map", classes);
}

// "0 cat, 1 dog".
std::string Names(const LabelChange& change) {
  std::string text;
  for (const ClassInfo& info : change.classes()) {
    text += (text.empty() ? "" : ", ") + std::to_string(info.label) + " " +
            info.name;
  }
  return text;
}

// The new label, "-" for a left-out sample, "?" for a label without a line.
std::string Becomes(const LabelChange& change, std::int64_t label) {
  std::vector<Label> labels = {Label(label)};
  const auto kept = change.Change(labels);
  if (!kept.ok()) return "?";
  return *kept ? labels[0].ToString() : "-";
}

TEST_CASE("LabelChange renumbers, joins and leaves out classes", "[labels]") {
  const auto change = Read("cat 1 pet\n1 1\ncar\t0\t\n\n3 -\n");
  REQUIRE(change.status().ToString() == "OK");
  CHECK(Becomes(*change, 0) == "1");
  CHECK(Becomes(*change, 1) == "1");
  CHECK(Becomes(*change, 2) == "0");
  CHECK(Becomes(*change, 3) == "-");
  CHECK(Names(*change) == "0 car, 1 pet");
  // The text of a class, for people, goes with its name.
  CHECK(Read("cat 9\n* -\n")->classes()[0].text == "a cat");
  CHECK(Read("cat 9 lion\n* -\n")->classes()[0].text.empty());
  CHECK(Names(*Read("dog 0\n* 1 the rest of them\n")) ==
        "0 dog, 1 the rest of them");
}

TEST_CASE("LabelChange refuses labels that no line is about", "[labels]") {
  const auto change = Read("cat 0\n");
  REQUIRE(change.ok());
  std::vector<Label> labels = {Label(2)};
  const Status refused = change->Change(labels).status();
  CHECK(refused.code() == Code::kInvalidArgument);
  CHECK_THAT(refused.message(), Catch::Contains("\"2 -\" leaves"));
  // The advice works.
  CHECK(Becomes(*Read("cat 0\n2 -\n"), 2) == "-");
  CHECK(Becomes(*Read("cat 0\n* -\n"), 2) == "-");

  labels = {Label(0), Label(2)};
  CHECK(change->Change(labels).status().code() == Code::kInvalidArgument);
  labels = {Label(0), Label::FromReal(0.5)};
  CHECK(change->Change(labels).status().code() == Code::kInvalidArgument);
  labels = {Label::FromReal(0.5)};
  CHECK(change->Change(labels).status().code() == Code::kInvalidArgument);
  labels = {};
  REQUIRE(change->Change(labels).ok());
  CHECK(*change->Change(labels));
  CHECK(labels.empty());
}

// semantics review 5.
TEST_CASE("LabelChange changes each of several labels", "[labels]") {
  const auto change = Read("cat 1 pet\n1 1\ncar 0\n3 -\n");
  REQUIRE(change.ok());
  const auto becomes = [&](std::vector<Label> labels) {
    const auto kept = change->Change(labels);
    REQUIRE(kept.ok());
    return *kept ? labels : std::vector<Label>();
  };
  CHECK(becomes({2, 0}) == std::vector<Label>{0, 1});
  CHECK(becomes({0, 2, 1}) == std::vector<Label>{1, 0});
  CHECK(becomes({3, 2}) == std::vector<Label>{0});
  CHECK(becomes({3, 3}).empty());
}

TEST_CASE("LabelChange guesses no class and no name", "[labels]") {
  const auto fails = [](const std::string& text, Code code,
                        const std::string& says,
                        const ClassMap& classes = kPets) {
    const Status status = Read(text, classes).status();
    INFO(text);
    CHECK(status.code() == code);
    CHECK(status.where().path == "map");
    CHECK_THAT(status.message(), Catch::Contains(says));
  };
  fails("", Code::kCorrupt, "no line");
  fails("cat\n", Code::kCorrupt, "OLD NEW");
  fails("cat x\n", Code::kCorrupt, "OLD NEW");
  fails("cat 1.5\n", Code::kCorrupt, "OLD NEW");
  fails("cat - pets\n", Code::kCorrupt, "OLD NEW");
  fails("cow 1\n", Code::kCorrupt, "neither a label nor a class");
  fails("9 1\n", Code::kCorrupt, "neither a label nor a class");
  fails("cat 1\n0 1\n", Code::kCorrupt, "line before");
  fails("* 1 a\n* -\n", Code::kCorrupt, "line before");
  fails("cat 1 pet\ndog 1 beast\n", Code::kCorrupt, "was called pet");
  // A class called 7 whose label is 3.
  fails("7 1\n", Code::kCorrupt, "the name of class 3");
  fails("cat 1\ndog 1\n", Code::kInvalidArgument, "cat and dog both become 1");
  fails("cat 1 x\ndog 2 x\n", Code::kInvalidArgument, "two labels are called");
  fails("cat 1 dog\ndog 2\n", Code::kInvalidArgument, "two labels are called");
}

TEST_CASE("Without classes a label map gives some if it names all",
          "[labels]") {
  CHECK(Read("0 5\n1 6\n", {})->classes().empty());
  CHECK(Names(*Read("0 5 a\n1 6 b\n2 -\n", {})) == "5 a, 6 b");
  CHECK(Read("0 5 a\n1 6\n", {}).status().code() == Code::kInvalidArgument);
  CHECK(Read("0 5 a\n* 6\n", {}).status().code() == Code::kInvalidArgument);
  CHECK(Becomes(*Read("-3 5\n", {}), -3) == "5");
}

}  // namespace
}  // namespace shardine::label_change_test
