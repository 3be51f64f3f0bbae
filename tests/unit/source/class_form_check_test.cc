// Class names that look alike, and classes that splits do not share.
#include "source/class_form_check.h"

#include <catch2/catch.hpp>

#include "unit/source/source_fixture.h"

namespace shardine::class_form_check_test {
namespace {

const std::string kComposed = "caf\xC3\xA9";
const std::string kDecomposed = "cafe\xCC\x81";

SourceOptions TwoSplits() {
  SourceOptions options;
  options.folders = {{"train", "t"}, {"val", "v"}};
  return options;
}

// semantics review 3.
TEST_CASE("Classes of one name in two Unicode forms are refused",
          "[class_form]") {
  MemoryStorage storage;
  PutAll(storage, {"t/" + kComposed + "/1.jpg", "t/zebra/1.jpg",
                   "v/" + kDecomposed + "/1.jpg", "v/zebra/1.jpg"});
  SourceOptions options = TwoSplits();
  const Status status = LoadError(storage, options);
  CHECK(status.code() == Code::kInvalidArgument);
  CHECK_THAT(status.message(),
             Catch::Contains("two class names are one in Unicode") &&
                 Catch::Contains("6 bytes in val") &&
                 Catch::Contains("5 bytes in train"));
  // The same within one split.
  options.folders = {{"train", "t"}};
  PutAll(storage, {"t/" + kDecomposed + "/2.jpg"});
  CHECK(LoadError(storage, options).code() == Code::kInvalidArgument);
}

TEST_CASE("Classes of one name in two Unicode forms are united when asked",
          "[class_form]") {
  MemoryStorage storage;
  PutAll(storage, {"t/" + kComposed + "/1.jpg", "t/zebra/1.jpg",
                   "v/" + kDecomposed + "/1.jpg", "v/zebra/1.jpg"});
  SourceOptions options = TwoSplits();
  options.unite_classes = true;
  const SourceSet set = Load(storage, options);
  CHECK(ClassesOf(set) == Strings{"0 " + kComposed + " x2", "1 zebra x2"});
  CHECK(set.notes.empty());
  // Keys are the files' own names.
  CHECK(KeysOf(set)[2] == kDecomposed + "/1.jpg");
  storage.Put("map", kDecomposed + " 7\nzebra 3\n");
  options.label_map = "map";
  CHECK(ClassesOf(Load(storage, options)) ==
        Strings{"3 zebra x2", "7 " + kDecomposed + " x2"});
}

TEST_CASE("Classes that splits do not share are said in one line",
          "[class_form]") {
  MemoryStorage storage;
  PutAll(storage, {"t/Cat/1.jpg", "t/a/1.jpg", "t/b/1.jpg", "v/a/1.jpg",
                   "v/cat/1.jpg", "v/z/1.jpg"});
  CHECK(Load(storage, TwoSplits()).notes ==
        Strings{"classes: Cat (train) and cat (val) differ in case alone; 2 "
                "classes are in train alone, such as Cat; 2 classes are in val "
                "alone, such as cat"});
  SourceOptions three = TwoSplits();
  three.folders = {{"train", "t"}, {"val", "v"}, {"test", "w"}};
  PutAll(storage, {"w/a/1.jpg", "w/b/1.jpg", "w/z/1.jpg"});
  CHECK_THAT(Load(storage, three).notes.at(0),
             Catch::Contains("1 class is not in train, such as z; 1 class is "
                             "not in val, such as b"));
  // A split without labels lacks none.
  MemoryStorage flat;
  PutAll(flat, {"t/a/1.jpg", "t/b/1.jpg", "v/1.jpg"});
  SourceOptions options = TwoSplits();
  options.unlabelled = true;
  CHECK(Load(flat, options).notes ==
        Strings{"split val: 1 image has no label"});
}

SourceOptions Tree() {
  SourceOptions options;
  options.folders = {{"train", "t"}};
  return options;
}

// Field reports, B20.
TEST_CASE("Classes that are whole numbers are said to be ordered as text",
          "[class_form]") {
  MemoryStorage storage;
  PutAll(storage, {"t/0/a.jpg", "t/1/b.jpg", "t/10/c.jpg", "t/2/d.jpg"});
  SourceOptions options = Tree();
  const SourceSet set = Load(storage, options);
  CHECK(ClassesOf(set) == Strings{"0 0 x1", "1 1 x1", "2 10 x1", "3 2 x1"});
  CHECK(set.notes ==
        Strings{"classes are whole numbers in the order of text: 10 has the "
                "label 2; the option numbered-classes takes their numbers"});
  options.numbered_classes = true;
  const SourceSet numbered = Load(storage, options);
  CHECK(ClassesOf(numbered) ==
        Strings{"0 0 x1", "1 1 x1", "2 2 x1", "10 10 x1"});
  CHECK(numbered.notes.empty());
}

TEST_CASE("Classes whose numbers are their labels anyway are not spoken of",
          "[class_form]") {
  MemoryStorage storage;
  PutAll(storage, {"t/0/a.jpg", "t/1/b.jpg"});
  CHECK(Load(storage, Tree()).notes.empty());
  PutAll(storage, {"t/ten/c.jpg"});
  CHECK(Load(storage, Tree()).notes.empty());
}

TEST_CASE("Numbered classes are whole numbers, each once", "[class_form]") {
  MemoryStorage storage;
  PutAll(storage, {"t/007/a.jpg", "t/10/b.jpg"});
  SourceOptions options = Tree();
  options.numbered_classes = true;
  CHECK(ClassesOf(Load(storage, options)) == Strings{"7 007 x1", "10 10 x1"});
  PutAll(storage, {"t/7/c.jpg"});
  CHECK_THAT(LoadError(storage, options).message(),
             Catch::Contains("has the number of another class"));
  MemoryStorage words;
  PutAll(words, {"t/10/b.jpg", "t/ten/c.jpg"});
  CHECK_THAT(LoadError(words, options).message(),
             Catch::Contains("is no whole number"));
  options.min_per_class = 2;
  CHECK(LoadError(storage, options).code() == Code::kInvalidArgument);
}

TEST_CASE("A class of a label map without a sample is listed as ignored",
          "[class_form]") {
  MemoryStorage storage;
  PutAll(storage, {"t/ant/a.jpg"});
  SourceOptions options = Tree();
  options.label_map = "maps/map";
  const auto ignored = [&](const std::string& map) {
    storage.Put("maps/map", map);
    const SourceSet set = Load(storage, options);
    REQUIRE(set.ignored.size() == 1);
    CHECK(set.ignored[0].key == "bee");
    CHECK(set.ignored[0].reason == "label-map-unmatched");
    return set.ignored[0].list + ":" + std::to_string(set.ignored[0].line);
  };
  CHECK(ignored("ant 3\n\nbee  4\n") == "map:3");
  CHECK(ignored("ant\nbee\n") == "map:2");
  // JSON has no lines.
  CHECK(ignored("{\"ant\": 3,\n\"bee\": 4}") == ":0");
}

}  // namespace
}  // namespace shardine::class_form_check_test
