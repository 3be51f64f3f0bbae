// Lists without tabs, paths that are absolute or climb, numbers for names.
#include <catch2/catch.hpp>
#include <string>

#include "source/list_file.h"
#include "unit/source/source_fixture.h"

namespace shardine::list_forms_test {
namespace {

constexpr char kRoot[] = "/data/set";

Result<SourceSet> Load(MemoryStorage& storage, const std::string& list,
                       const std::string& name = "/lists/a.lst") {
  storage.Put(name, list);
  PutAll(storage, {"/data/set/a.jpg", "/data/set/n1/b c.jpg",
                   "/data/set/n1/3 d.jpg", "/data/set/n2/e.jpg"});
  SourceOptions options;
  options.folders = {{"train", kRoot}};
  options.list = name;
  return LoadSource(storage, options);
}

Strings RowsIn(const std::string& list,
               const std::string& name = "/lists/a.lst") {
  MemoryStorage storage;
  const auto set = Load(storage, list, name);
  INFO(set.status().ToString());
  REQUIRE(set.ok());
  return RowsOf(*set);
}

std::string ErrorIn(const std::string& list,
                    const std::string& name = "/lists/a.lst") {
  MemoryStorage storage;
  const auto set = Load(storage, list, name);
  REQUIRE_FALSE(set.ok());
  return set.status().ToString();
}

TEST_CASE("A list may have blanks for its tabs", "[source][list]") {
  CHECK(RowsIn("7 1 a.jpg\n3  2.000000   n1/b c.jpg \r\n") ==
        Strings{"train/7 a.jpg =1", "train/3 n1/b c.jpg =2"});
}

TEST_CASE("A list may name a path and a label, as Caffe's do",
          "[source][list]") {
  MemoryStorage storage;
  const auto set = Load(storage, "n2/e.jpg 4\nn1/b c.jpg 0\n\na.jpg\t2\n");
  REQUIRE(set.ok());
  CHECK(RowsOf(*set) == Strings{"train/0 n2/e.jpg =4", "train/1 n1/b c.jpg =0",
                                "train/2 a.jpg =2"});
  CHECK(set->notes == Strings{"/lists/a.lst has lines of a path and a label: "
                              "ids are the order of its lines"});
}

TEST_CASE("A list that can be read in two ways is refused", "[source][list]") {
  CHECK_THAT(ErrorIn("0 1 n1/b c.jpg 7\n"),
             Catch::Contains("byte 0: line 1: id 0, label 1 and the path "
                             "\"n1/b c.jpg 7\", or the path \"0 1 n1/b "
                             "c.jpg\" and label 7: it could be both"));
  CHECK_THAT(ErrorIn("5\t3\n"),
             Catch::Contains("id 5 and the path \"3\", or the path \"5\" and "
                             "label 3: it could be both"));
  CHECK_THAT(
      ErrorIn("0 1 a.jpg\n1 2 3 d.jpg\n"),
      Catch::Contains("line 2: a second label 3 and the path \"d.jpg\", or "
                      "the path \"3 d.jpg\""));
}

TEST_CASE("All lines of a list have the form of its first", "[source][list]") {
  CHECK_THAT(ErrorIn("0 1 a.jpg\nn2/e.jpg 3\n"),
             Catch::Contains("line 2: the id is not a whole number"));
  CHECK_THAT(ErrorIn("0 1 a.jpg\n5 x n2/e.jpg\n"),
             Catch::Contains("line 2: label 1 is not a number"));
  CHECK_THAT(ErrorIn("a.jpg 1\nn2/e.jpg\n"),
             Catch::Contains("line 2: not a path and a label after it"));
  CHECK_THAT(ErrorIn("a.jpg\n"), Catch::Contains("line 1: no tab"));
  CHECK_THAT(ErrorIn("0\t1\ta.jpg\n1 2 n2/e.jpg\n"),
             Catch::Contains("line 2: no tab"));
}

TEST_CASE("A table of labels by id takes lists with tabs alone",
          "[source][list]") {
  MemoryStorage storage;
  storage.Put("a.lst", "a.jpg 1\n");
  const auto file = storage.Open("a.lst");
  ListReader reader(**file);
  ListEntry entry;
  CHECK_FALSE(reader.Next(entry).ok());
}

TEST_CASE("Paths that are below the source by their text are keys there",
          "[source][list]") {
  CHECK(
      RowsIn("1\t0\t/data/set/a.jpg\n2\t0\t../set/n2/e.jpg\n"
             "3\t0\tn2/../n1/b c.jpg\n4\t0\t/data/./x/../set//n1/3 d.jpg\n") ==
      Strings{"train/1 a.jpg =0", "train/2 n2/e.jpg =0",
              "train/3 n1/b c.jpg =0", "train/4 n1/3 d.jpg =0"});
  CHECK(RowsIn(R"([{"path": "/data/set/n2/e.jpg", "label": 5},
                   {"path": "../set/a.jpg", "label": 6}])",
               "/lists/a.json") ==
        Strings{"train/0 a.jpg =6", "train/1 n2/e.jpg =5"});
  // The class is the folder below the source.
  CHECK(RowsIn(R"(["/data/set/n2/e.jpg", "/data/set/n1/b c.jpg"])",
               "/lists/a.json") ==
        Strings{"train/0 n1/b c.jpg =0", "train/1 n2/e.jpg =1"});
}

TEST_CASE("Paths that leave the source are refused", "[source][list]") {
  CHECK_THAT(ErrorIn("1\t0\t/data/set2/a.jpg\n"),
             Catch::Contains("line 1: the path is absolute, and not below"));
  CHECK_THAT(ErrorIn("1\t0\t/data/set/../set2/a.jpg\n"),
             Catch::Contains("the path is absolute, and not below"));
  CHECK_THAT(ErrorIn("1\t0\tn1/../../x\n"),
             Catch::Contains("the path is not below the source"));
  CHECK_THAT(ErrorIn("1\t0\t..\n"), Catch::Contains("is not below the source"));
  CHECK_THAT(ErrorIn(R"(["/etc/passwd"])", "/lists/a.json"),
             Catch::Contains("the path is absolute, and not below"));
}

TEST_CASE("A path comes twice however it is written", "[source][list]") {
  CHECK(RowsIn("1\t0\ta.jpg\n2\t0\t/data/set/a.jpg\n") ==
        Strings{"train/1 a.jpg =0", "train/2 a#2.jpg =0"});
}

TEST_CASE("A blacklist of numbers names ImageNet's validation images",
          "[source][blacklist]") {
  MemoryStorage storage;
  PutAll(storage, {"/val/n1/ILSVRC2012_val_00000036.JPEG",
                   "/val/n1/ILSVRC2012_val_00000360.JPEG",
                   "/val/n2/ILSVRC2012_val_00000050.JPEG", "/val/n2/36.jpg"});
  storage.Put("/black", "36\n50\n7\n");
  SourceOptions options;
  options.folders = {{"val", "/val"}};
  options.blacklist = "/black";
  const auto set = LoadSource(storage, options);
  REQUIRE(set.ok());
  CHECK(KeysOf(*set) ==
        Strings{"n1/ILSVRC2012_val_00000360.JPEG", "n2/36.jpg"});
  CHECK(ProblemsOf(set->ignored) ==
        Strings{"blacklisted n1/ILSVRC2012_val_00000036.JPEG",
                "blacklisted n2/ILSVRC2012_val_00000050.JPEG",
                "blacklist-unmatched 7 (black:3)"});
}

}  // namespace
}  // namespace shardine::list_forms_test
