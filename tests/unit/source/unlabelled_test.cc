#include <catch2/catch.hpp>

#include "source/image_files.h"
#include "unit/source/source_fixture.h"

namespace shardine::unlabelled_test {
namespace {

// Class folders in "t", images only in "v".
struct World {
  World() {
    PutAll(storage, {"t/cat/x.jpg", "t/dog/y.jpg", "v/a.jpg", "v/b.jpg"});
    options.folders = {{"train", "t"}, {"val", "v"}};
  }
  MemoryStorage storage;
  SourceOptions options;
};

TEST_CASE_METHOD(World,
                 "Images without class folders are refused with two ways out",
                 "[source][unlabelled]") {
  const Status beside = LoadError(storage, options);
  CHECK(beside.code() == Code::kInvalidArgument);
  CHECK(beside.ToString() ==
        "v: 2 images have no label, for lack of class folders");
  options.folders = {{"train", "v"}};
  CHECK(LoadError(storage, options).where().path == "v");

  storage.Put("labels", "b.jpg 3\na.jpg 4\n");
  options.val_labels = "labels";
  CHECK(RowsOf(Load(storage, options)) ==
        Strings{"train/0 a.jpg =4", "train/1 b.jpg =3"});
}

TEST_CASE_METHOD(World, "Images without labels are taken on request and said",
                 "[source][unlabelled]") {
  options.unlabelled = true;
  const SourceSet set = Load(storage, options);
  CHECK(RowsOf(set) == Strings{"train/0 cat/x.jpg =0", "train/1 dog/y.jpg =1",
                               "val/2 a.jpg", "val/3 b.jpg"});
  CHECK(set.notes == Strings{"split val: 2 images have no label"});
}

TEST_CASE_METHOD(World, "Labels for one flat folder leave another without",
                 "[source][unlabelled]") {
  PutAll(storage, {"w/c.jpg"});
  storage.Put("labels", "a.jpg cat\nb.jpg dog\n");
  options.folders = {{"train", "t"}, {"val", "v"}, {"test", "w"}};
  options.val_labels = "labels";
  CHECK(LoadError(storage, options).where().path == "w");
  options.unlabelled = true;
  const SourceSet set = Load(storage, options);
  CHECK(RowsOf(set).back() == "test/4 c.jpg");
  CHECK(set.notes == Strings{"split test: 1 image has no label"});
}

TEST_CASE_METHOD(World, "Lists without labels are refused with the first entry",
                 "[source][unlabelled]") {
  options.folders = {{"train", "."}};
  const auto [name, text] = GENERATE(table<std::string, std::string>(
      {{"l.lst", "0\t1\tt/cat/x.jpg\n1\tv/a.jpg\n2\tv/b.jpg\n"},
       {"l.json", R"(["a.jpg", "b.jpg"])"}}));
  if (name == "l.json") options.folders = {{"train", "v"}};
  options.list = name;
  storage.Put(name, text);
  const Status refused = LoadError(storage, options);
  CHECK(refused.code() == Code::kInvalidArgument);
  CHECK(refused.where().path == name);
  CHECK(FileNameOf(*refused.where().key) == "a.jpg");
  // Files that are made into files have no labels to lose.
  CHECK(LoadImageFiles(storage, options, "out").ok());
  options.unlabelled = true;
  CHECK(Load(storage, options).notes ==
        Strings{"split train: 2 images have no label"});
}

// ILSVRC2012_validation_ground_truth.txt.
TEST_CASE("A list of nothing but labels goes by position and says so",
          "[source][unlabelled][val_labels]") {
  MemoryStorage storage;
  PutAll(storage,
         {"v/ILSVRC2012_val_00000002.JPEG", "v/ILSVRC2012_val_00000001.JPEG",
          "v/ILSVRC2012_val_00000003.JPEG"});
  storage.Put("truth.txt", "490\n361\n171\n");
  SourceOptions options;
  options.folders = {{"val", "v"}};
  options.val_labels = "truth.txt";
  const SourceSet set = Load(storage, options);
  CHECK(RowsOf(set) == Strings{"val/0 ILSVRC2012_val_00000001.JPEG =490",
                               "val/1 ILSVRC2012_val_00000002.JPEG =361",
                               "val/2 ILSVRC2012_val_00000003.JPEG =171"});
  REQUIRE(set.notes.size() == 1);
  CHECK(set.notes[0] ==
        "labels by position, since truth.txt names no files: one a line in the "
        "order of the names, from ILSVRC2012_val_00000001.JPEG to "
        "ILSVRC2012_val_00000003.JPEG");
}

TEST_CASE("A label by position is refused to a file of another number",
          "[source][unlabelled][val_labels]") {
  MemoryStorage storage;
  PutAll(storage,
         {"v/ILSVRC2012_val_00000001.JPEG", "v/ILSVRC2012_val_00000003.JPEG"});
  storage.Put("truth.txt", "490\n361\n");
  SourceOptions options;
  options.folders = {{"val", "v"}};
  options.val_labels = "truth.txt";
  const Status refused = LoadError(storage, options);
  CHECK(refused.code() == Code::kInvalidArgument);
  CHECK(refused.ToString() ==
        "truth.txt: key ILSVRC2012_val_00000003.JPEG: would get the label of "
        "line 2, and is image 3");
}

}  // namespace
}  // namespace shardine::unlabelled_test
