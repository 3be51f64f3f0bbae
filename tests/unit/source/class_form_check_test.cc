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
  PutAll(storage, {"w/a/1.jpg", "w/z/1.jpg"});
  CHECK_THAT(Load(storage, three).notes.at(0),
             Catch::Contains("1 class is not in train, such as z"));
  // What has no labels lacks none.
  MemoryStorage flat;
  PutAll(flat, {"t/a/1.jpg", "t/b/1.jpg", "v/1.jpg"});
  SourceOptions options = TwoSplits();
  options.unlabelled = true;
  CHECK(Load(flat, options).notes ==
        Strings{"split val: 1 image has no label"});
}

}  // namespace
}  // namespace shardine::class_form_check_test
