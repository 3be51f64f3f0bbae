#include "source/row_labels.h"

#include <catch2/catch.hpp>
#include <string>

#include "unit/source/source_fixture.h"

namespace shardine::row_labels_test {
namespace {

void PutTree(MemoryStorage& storage, const std::string& table) {
  PutAll(storage, {"t/cat/1.jpg", "t/cat/2.jpg", "t/dog/x/3.jpg"});
  storage.Put("t/metadata.csv", table);
}

SourceSet SetOf(const std::string& table) {
  MemoryStorage storage;
  PutTree(storage, table);
  return Load(storage, TreeOptions());
}

std::string ErrorOf(const std::string& table) {
  MemoryStorage storage;
  PutTree(storage, table);
  return LoadError(storage, TreeOptions()).ToString();
}

TEST_CASE("Labels of rows are those of class folders, or an error",
          "[row_labels]") {
  CHECK(RowsOf(SetOf("file_name,label\ncat/1.jpg,cat\ndog/x/3.jpg,dog\n")) ==
        Strings{"train/0 cat/1.jpg =0", "train/1 cat/2.jpg =0",
                "train/2 dog/x/3.jpg =1"});
  CHECK(RowsOf(SetOf("file_name,label\ncat/1.jpg,0\ndog/x/3.jpg,\n")).size() ==
        3);
  CHECK_THAT(ErrorOf("file_name,label\ncat/1.jpg,cat\ncat/2.jpg,dog\n"),
             Catch::Contains("line 3: cat/2.jpg has label cat by its folder, "
                             "and label dog by this row"));
  CHECK_THAT(ErrorOf("file_name,label\ncat/1.jpg,1\n"),
             Catch::Contains("label cat by its folder, and label dog by"));
  CHECK_THAT(ErrorOf("file_name,label\ncat/1.jpg,7\n"),
             Catch::Contains("label 7 is no class; classes are 0..1"));
  CHECK_THAT(ErrorOf("file_name,label\ncat/1.jpg,bird\n"),
             Catch::Contains("and label bird by this row"));
  CHECK_THAT(ErrorOf("file_name,label\ncat/1.jpg,\"[\"\"cat\"\",\"\"dog\"\"]\""
                     "\n"),
             Catch::Contains("and label dog by this row"));
}

TEST_CASE("Labels of rows are those of images in no class folder",
          "[row_labels]") {
  MemoryStorage storage;
  PutAll(storage, {"t/1.jpg", "t/2.jpg", "t/3.jpg"});
  storage.Put("t/metadata.csv",
              "file_name,label\n1.jpg,dog\n3.jpg,cat\n2.jpg,dog\n");
  SourceSet set = Load(storage, TreeOptions());
  CHECK(RowsOf(set) ==
        Strings{"train/0 1.jpg =1", "train/1 2.jpg =1", "train/2 3.jpg =0"});
  CHECK(ClassesOf(set) == Strings{"0 cat x1", "1 dog x2"});
  storage.Put("t/metadata.csv", "file_name,labels\n1.jpg,\"[3, 4]\"\n");
  CHECK_THAT(LoadError(storage, TreeOptions()).ToString(),
             Catch::Contains("2 images have no label"));
  SourceOptions options = TreeOptions();
  options.unlabelled = true;
  set = Load(storage, options);
  CHECK(RowsOf(set) ==
        Strings{"train/0 1.jpg =3 =4", "train/1 2.jpg", "train/2 3.jpg"});
  CHECK(set.classes.empty());
}

TEST_CASE("One folder of all images is no class where rows have labels",
          "[row_labels]") {
  MemoryStorage storage;
  PutAll(storage, {"t/images/1.jpg", "t/images/2.jpg"});
  storage.Put("t/metadata.csv",
              "file_name,label\nimages/1.jpg,dog\nimages/2.jpg,cat\n");
  SourceSet set = Load(storage, TreeOptions());
  CHECK(ClassesOf(set) == Strings{"0 cat x1", "1 dog x1"});
  CHECK(set.notes == Strings{"labels are those of metadata files; folder "
                             "images is no class"});
  storage.Put("t/metadata.csv", "file_name,text\nimages/1.jpg,a\n");
  set = Load(storage, TreeOptions());
  CHECK(ClassesOf(set) == Strings{"0 images x2"});
  storage.Put("t/metadata.csv", "file_name,label\nimages/1.jpg,dog\n");
  storage.Put("t/images/metadata.csv", "file_name,label\n2.jpg,3\n");
  CHECK_THAT(LoadError(storage, TreeOptions()).ToString(),
             Catch::Contains("t/metadata.csv: no row is of an image"));
  REQUIRE(storage.Remove("t/images/metadata.csv").ok());
  PutAll(storage, {"t/images/a/3.jpg"});
  storage.Put("t/images/a/metadata.csv", "file_name,label\n3.jpg,3\n");
  CHECK_THAT(LoadError(storage, TreeOptions()).ToString(),
             Catch::Contains("the label is a name, and labels of other "
                             "metadata files are none"));
}

TEST_CASE("Validation labels and a label map are compared with rows",
          "[row_labels]") {
  MemoryStorage storage;
  PutAll(storage, {"t/1.jpg", "t/2.jpg"});
  storage.Put("v", "1.jpg cat\n2.jpg dog\n");
  storage.Put("t/metadata.csv", "file_name,label\n1.jpg,cat\n2.jpg,cat\n");
  SourceOptions options = TreeOptions();
  options.val_labels = "v";
  CHECK_THAT(LoadError(storage, options).ToString(),
             Catch::Contains("2.jpg has label dog by validation labels, and "
                             "label cat by this row"));
  options.val_labels.clear();
  storage.Put("map", "dog 7\ncat 9\n");
  options.label_map = "map";
  CHECK(RowsOf(Load(storage, options)) ==
        Strings{"train/0 1.jpg =9", "train/1 2.jpg =9"});
  storage.Put("t/metadata.csv", "file_name,label\n1.jpg,emu\n");
  CHECK_THAT(LoadError(storage, options).ToString(),
             Catch::Contains("label emu is no class"));
}

}  // namespace
}  // namespace shardine::row_labels_test
