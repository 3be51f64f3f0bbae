#include "source/val_labels.h"

#include <catch2/catch.hpp>
#include <string>

#include "unit/source/source_fixture.h"

namespace shardine::val_labels_test {
namespace {

// Class folders in "t", images only in "v", "labels" for the latter.
struct Fixture {
  Fixture() {
    PutAll(storage,
           {"t/cat/x.jpg", "t/dog/y.jpg", "v/a 1.jpg", "v/b.jpg", "v/c.jpg"});
    options.folders = {{"train", "t"}, {"val", "v"}};
    options.val_labels = "labels";
  }

  Strings Rows(std::string labels) {
    storage.Put("labels", std::move(labels));
    return RowsOf(Load(storage, options));
  }
  Status Error(std::string labels) {
    storage.Put("labels", std::move(labels));
    return LoadError(storage, options);
  }

  MemoryStorage storage;
  SourceOptions options;
};

const Strings kLabelled = {"train/0 cat/x.jpg =0", "train/1 dog/y.jpg =1",
                           "val/2 a 1.jpg =1", "val/3 b.jpg =0",
                           "val/4 c.jpg =1"};

TEST_CASE("Validation labels go to the files in the order of their names",
          "[val_labels]") {
  Fixture fixture;
  CHECK(fixture.Rows("1\n0\n1\n") == kLabelled);
  CHECK(fixture.Rows("dog\r\ncat\r\ndog") == kLabelled);
}

TEST_CASE("Validation labels go to the files that they name", "[val_labels]") {
  Fixture fixture;
  CHECK(fixture.Rows("c.jpg dog\nb.jpg\tcat\na 1.jpg 1\n") == kLabelled);
}

TEST_CASE("Validation labels count the classes of both splits",
          "[val_labels]") {
  Fixture fixture;
  fixture.storage.Put("labels", "dog\ndog\ndog\n");
  CHECK(ClassesOf(Load(fixture.storage, fixture.options)) ==
        Strings{"0 cat x1", "1 dog x4"});
}

TEST_CASE("Validation labels count files that cannot be read", "[val_labels]") {
  Fixture fixture;
  fixture.storage.PutSymlink("v/b.jpg", "nowhere");
  fixture.storage.Put("labels", "dog\ncat\ndog\n");
  const SourceSet set = Load(fixture.storage, fixture.options);
  CHECK(RowsOf(set) ==
        Strings{kLabelled[0], kLabelled[1], kLabelled[2], kLabelled[4]});
  CHECK(ProblemsOf(set.bad) == Strings{"dangling-link b.jpg"});
  fixture.storage.Put("labels", "a 1.jpg dog\nb.jpg cat\nc.jpg dog\n");
  CHECK(Load(fixture.storage, fixture.options).ignored.empty());
}

TEST_CASE("Validation labels of one flat folder make the classes",
          "[val_labels]") {
  Fixture fixture;
  fixture.options.folders = {{"train", "v"}};
  fixture.storage.Put("labels", "zebra\nant\nzebra\n");
  const SourceSet set = Load(fixture.storage, fixture.options);
  CHECK(RowsOf(set) ==
        Strings{"train/0 a 1.jpg =1", "train/1 b.jpg =0", "train/2 c.jpg =1"});
  CHECK(ClassesOf(set) == Strings{"0 ant x1", "1 zebra x2"});
  CHECK(fixture.Rows("5\n-1\n5\n") ==
        Strings{"train/0 a 1.jpg =5", "train/1 b.jpg =-1", "train/2 c.jpg =5"});
}

TEST_CASE("Validation labels follow the label map", "[val_labels]") {
  Fixture fixture;
  fixture.storage.Put("map", "cat 30\ndog 20\n");
  fixture.options.label_map = "map";
  CHECK(fixture.Rows("dog\n30\ndog\n") ==
        Strings{"train/0 cat/x.jpg =30", "train/1 dog/y.jpg =20",
                "val/2 a 1.jpg =20", "val/3 b.jpg =30", "val/4 c.jpg =20"});
}

TEST_CASE(
    "Validation labels that name class folders called by numbers are "
    "names",
    "[val_labels]") {
  MemoryStorage storage;
  PutAll(storage, {"t/10/x.jpg", "t/9/y.jpg", "v/a.jpg"});
  storage.Put("labels", "9\n");
  SourceOptions options;
  options.folders = {{"train", "t"}, {"val", "v"}};
  options.val_labels = "labels";
  CHECK(RowsOf(Load(storage, options)).back() == "val/2 a.jpg =1");
}

TEST_CASE("Validation labels for files that are not there are reported",
          "[val_labels]") {
  Fixture fixture;
  fixture.storage.Put(
      "labels", "z.jpg cat\na 1.jpg dog\nb.jpg cat\nc.jpg dog\nd.jpg dog\n");
  const SourceSet set = Load(fixture.storage, fixture.options);
  CHECK(RowsOf(set) == kLabelled);
  CHECK(ProblemsOf(set.ignored) == Strings{"label-unmatched d.jpg (labels:5)",
                                           "label-unmatched z.jpg (labels:1)"});
  CHECK(set.ignored.front().root == 1);
}

TEST_CASE("Validation labels that do not fit are refused with the reason",
          "[val_labels]") {
  Fixture fixture;
  const Status count = fixture.Error("1\n0\n");
  CHECK(count.code() == Code::kInvalidArgument);
  CHECK(count.ToString() == "labels: 2 labels for 3 images");
  CHECK(fixture.Error("1\n2\n0\n").ToString() ==
        "labels: key b.jpg: label 2 is no class; classes are 0..1");
  CHECK(fixture.Error("1\ncow\n0\n").ToString() ==
        "labels: key b.jpg: label cow is neither a class nor a number");
  CHECK(fixture.Error("a 1.jpg 1\nb.jpg 1\n").ToString() ==
        "labels: key c.jpg: no label for this image");
  const Status mixed = fixture.Error("1\nb.jpg 1\n");
  CHECK(mixed.code() == Code::kCorrupt);
  CHECK(mixed.ToString() ==
        "labels: byte 2: line 2: some lines name a file, others do not");
  CHECK(fixture.Error("b.jpg 1\nb.jpg 0\n").ToString() ==
        "labels: byte 8: line 2: this file has a label already");
}

// field report B1.
TEST_CASE("Validation labels are read from columns between commas",
          "[val_labels]") {
  Fixture fixture;
  CHECK(fixture.Rows("c.jpg,dog\nb.jpg,cat\na 1.jpg,1\n") == kLabelled);
  // A header is of no file, and its label of no class.
  fixture.options.folders = {{"train", "v"}};
  fixture.storage.Put("labels", "file ant\na 1.jpg 3\nb.jpg 5\nc.jpg 3\n");
  const SourceSet set = Load(fixture.storage, fixture.options);
  CHECK(set.classes.empty());
  CHECK(RowsOf(set)[1] == "train/1 b.jpg =5");
  CHECK(set.notes == Strings{"labels: 1 of 4 lines are of no file, such as "
                             "file"});
}

TEST_CASE("Validation labels are never guessed", "[val_labels]") {
  Fixture fixture;
  CHECK_THAT(fixture.Error("a 1.jpg,1\nb.jpg\nc.jpg,1\n").message(),
             Catch::Contains("some lines name a file, others do not"));
  CHECK_THAT(fixture.Error("label\n0\n1\n").message(),
             Catch::Contains("\"label\" is the label of the first file, or a "
                             "header"));
  fixture.options.folders = {{"train", "v"}};
  CHECK_THAT(fixture.Error("dog\n3\ndog\n").message(),
             Catch::Contains("some labels are numbers, such as 3, others are "
                             "names, such as dog"));
  PutAll(fixture.storage, {"v/b.jpg x,y.jpg", "v/x"});
  CHECK_THAT(fixture.Error("b.jpg x,y.jpg,1\n").message(),
             Catch::Contains("it could be both"));
}

TEST_CASE("Validation labels need a folder of images to label",
          "[val_labels]") {
  Fixture fixture;
  fixture.options.folders = {{"train", "t"}};
  CHECK(fixture.Error("1\n").code() == Code::kInvalidArgument);
  // The one of several folders that is val.
  PutAll(fixture.storage, {"w/d.jpg"});
  fixture.options.unlabelled = true;
  fixture.options.folders = {{"test", "w"}, {"val", "v"}};
  CHECK(fixture.Rows("1\n0\n1\n").back() == "val/3 c.jpg =1");
  fixture.options.folders = {{"test", "w"}, {"train", "v"}};
  CHECK(fixture.Error("1\n").code() == Code::kInvalidArgument);
}

}  // namespace
}  // namespace shardine::val_labels_test
