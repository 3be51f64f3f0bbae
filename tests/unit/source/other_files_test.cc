#include "source/other_files.h"

#include <catch2/catch.hpp>
#include <string>

#include "source/field_file.h"
#include "unit/source/source_fixture.h"

namespace shardine::other_files_test {
namespace {

// "key name=path name~path" for each sample; text fields with a "~".
Strings FilesIn(const SourceSet& set) {
  Strings rows;
  for (std::size_t i = 0; i < set.samples.size(); ++i) {
    std::string row(set.samples.key(i));
    for (const SampleFile& file : FilesOfSample(set, i)) {
      row += " " + file.field + (file.is_text ? "~" : "=") + file.file.path;
      CHECK(file.file.facts.size == 5);
    }
    rows.push_back(row);
  }
  return rows;
}

SourceOptions Listing() {
  SourceOptions options = TreeOptions();
  options.folders = {{"train", "/t"}};
  options.list = "/l.csv";
  options.unlabelled = true;
  return options;
}

std::string ErrorOfRow(const std::string& row,
                       const std::string& column = "mask_file_name") {
  MemoryStorage storage;
  PutAll(storage, {"/t/1.jpg", "/t/m/1.png", "/else/1.png"});
  storage.Put("/l.csv", "file_name," + column + "\n" + row + "\n");
  return LoadError(storage, Listing()).ToString();
}

TEST_CASE("A column of file names is named after its field", "[other_files]") {
  CHECK(FieldOfFileColumn("mask_file_name") == "mask");
  CHECK(FieldOfFileColumn("Left_Mask_File_Name") == "Left_Mask");
  for (const char* other : {"file_name", "_file_name", "mask_file_names",
                            "mask", "file_names", "mask_file_name_"}) {
    CHECK_FALSE(FieldOfFileColumn(other));
  }
  CHECK(IsFileListColumn("file_names"));
  CHECK(IsFileListColumn("mask_file_names"));
  CHECK_FALSE(IsFileListColumn("profile_names"));
}

TEST_CASE("Columns of a list name files that are fields", "[other_files]") {
  MemoryStorage storage;
  PutAll(storage,
         {"/t/1.jpg", "/t/2.jpg", "/t/m/1.png", "/t/c/1.txt", "/t/c/2.TXT"});
  storage.Put("/l.csv",
              "path,mask_file_name,caption_file_name,n\n"
              "1.jpg,m\\1.png,./c/1.txt,3\n2,,c/2.TXT,\n");
  const SourceSet set = Load(storage, Listing());
  CHECK(FilesIn(set) == Strings{"1.jpg caption~/t/c/1.txt mask=/t/m/1.png",
                                "2.jpg caption~/t/c/2.TXT"});
  CHECK(set.text_fields == Strings{"caption"});
  CHECK(set.columns.size() == 4);
  // Texts and others in one column are bytes.
  storage.Put("/l.csv", "path,x_file_name\n1.jpg,c/1.txt\n2.jpg,m/1.png\n");
  CHECK(FilesIn(Load(storage, Listing())) ==
        Strings{"1.jpg x=/t/c/1.txt", "2.jpg x=/t/m/1.png"});
  // One column may name the file of the sample itself so.
  storage.Put("/l.csv", "image_file_name,mask_file_name\n1.jpg,m/1.png\n");
  CHECK(FilesIn(Load(storage, Listing())) == Strings{"1.jpg mask=/t/m/1.png"});
}

TEST_CASE("A file that a row names must be one below the source",
          "[other_files]") {
  CHECK_THAT(ErrorOfRow("1.jpg,m/2.png"),
             Catch::Contains("line 2: column mask_file_name: file m/2.png is "
                             "missing"));
  CHECK_THAT(ErrorOfRow("1.jpg,m"), Catch::Contains("m is not-a-file"));
  CHECK_THAT(ErrorOfRow("1.jpg,../else/1.png"),
             Catch::Contains("the path is not below the source"));
  CHECK_THAT(ErrorOfRow("1.jpg,/else/1.png"),
             Catch::Contains("absolute, and not below"));
  CHECK_THAT(ErrorOfRow("1.jpg,file:///else/1.png"),
             Catch::Contains("the path is an address"));
  CHECK_THAT(ErrorOfRow(std::string("1.jpg,m\0n", 9)),
             Catch::Contains("NUL byte"));
  CHECK_THAT(ErrorOfRow("1.jpg,m/1.png,5", "mask_file_name,mask"),
             Catch::Contains("columns mask and mask_file_name give one field"));
  CHECK_THAT(ErrorOfRow("1.jpg,m/1.png", "mask_file_names"),
             Catch::Contains("column mask_file_names: lists of files are not "
                             "read"));
}

SourceOptions MaskTree(MemoryStorage& storage, const std::string& table) {
  PutAll(storage, {"t/images/1.jpg", "t/images/2.jpg", "t/masks/1.png",
                   "t/masks/2.png", "t/notes/1.npy"});
  storage.Put("t/metadata.csv", table);
  SourceOptions options = TreeOptions();
  options.unlabelled = true;
  return options;
}

TEST_CASE("Files that metadata files name are no samples of the tree",
          "[other_files]") {
  MemoryStorage storage;
  const SourceOptions options =
      MaskTree(storage,
               "file_name,mask_file_name,notes_file_name,label\n"
               "images/1.jpg,masks/1.png,notes/1.npy,dog\n"
               "images/2.jpg,masks/2.png,,cat\n");
  SourceSet set = Load(storage, options);
  CHECK(FilesIn(set) ==
        Strings{"images/1.jpg mask=t/masks/1.png notes=t/notes/1.npy",
                "images/2.jpg mask=t/masks/2.png"});
  CHECK(RowsOf(set) ==
        Strings{"train/0 images/1.jpg =1", "train/1 images/2.jpg =0"});
  CHECK(ClassesOf(set) == Strings{"0 cat x1", "1 dog x1"});
  CHECK(set.ignored.empty());
  // A folder with another image is a class as before.
  PutAll(storage, {"t/masks/loose.png"});
  CHECK_THAT(LoadError(storage, options).ToString(),
             Catch::Contains("images/1.jpg has label images by its folder"));
  MaskTree(storage,
           "file_name,mask_file_name\nimages/1.jpg,images/2.jpg\n"
           "images/2.jpg,masks/1.png\n");
  CHECK_THAT(LoadError(storage, options).ToString(),
             Catch::Contains("images/2.jpg is the image of a row, and another "
                             "file of one"));
  MemoryStorage alone;
  PutAll(alone, {"t/images/1.jpg"});
  const auto error = [&](const std::string& file) {
    alone.Put("t/metadata.csv",
              "file_name,x_file_name\nimages/1.jpg," + file + "\n");
    return LoadError(alone, options).ToString();
  };
  CHECK_THAT(
      error("masks/7.png"),
      Catch::Contains("column x_file_name: file t/masks/7.png is missing; "
                      "metadata files of the source are read"));
  CHECK_THAT(error("../7.png"), Catch::Contains("the path has a part \"..\""));
}

TEST_CASE("Splits may share the folder of such files", "[other_files]") {
  MemoryStorage storage;
  PutAll(storage,
         {"/p/train/1.jpg", "/p/val/1.jpg", "/p/masks/t.png", "/p/val/m.png"});
  storage.Put("/p/metadata.csv",
              "file_name,mask_file_name\ntrain/1.jpg,masks/t.png\n"
              "val/1.jpg,val/m.png\n");
  SourceOptions options;
  options.folders = {{"train", "/p/train"}, {"val", "/p/val"}};
  options.unlabelled = true;
  CHECK(FilesIn(Load(storage, options)) ==
        Strings{"1.jpg mask=/p/masks/t.png", "1.jpg mask=/p/val/m.png"});
}

}  // namespace
}  // namespace shardine::other_files_test
