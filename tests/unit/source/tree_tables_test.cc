#include "source/tree_tables.h"

#include <catch2/catch.hpp>
#include <string>

#include "base/bytes.h"
#include "source/table_fields.h"
#include "unit/source/source_fixture.h"

namespace shardine::tree_tables_test {
namespace {

void PutTree(MemoryStorage& storage, const std::string& table,
             const std::string& name = "t/metadata.csv") {
  PutAll(storage, {"t/cat/1.jpg", "t/cat/2.jpg", "t/dog/x/3.jpg"});
  storage.Put(name, table);
}

SourceSet SetOf(const std::string& table,
                const std::string& name = "t/metadata.csv") {
  MemoryStorage storage;
  PutTree(storage, table, name);
  return Load(storage, TreeOptions());
}

std::string ErrorOf(const std::string& table,
                    const std::string& name = "t/metadata.csv") {
  MemoryStorage storage;
  PutTree(storage, table, name);
  const Status status = LoadError(storage, TreeOptions());
  CHECK_THAT(status.ToString(),
             Catch::EndsWith("; metadata files of the source are read"));
  return status.ToString();
}

// "key name:dtype=text" for each sample; numbers as their bytes' first.
Strings FieldsOf(const SourceSet& set) {
  Strings rows;
  for (std::size_t i = 0; i < set.samples.size(); ++i) {
    std::string row(set.samples.key(i));
    const auto fields = ColumnFieldsOf(set.samples.fields(i), set.columns);
    REQUIRE(fields.has_value());
    for (const ColumnField& field : *fields) {
      row += " " + std::string(field.name) + ":" + std::string(field.dtype);
      if (field.dtype == "|S") row += "=" + field.bytes;
    }
    rows.push_back(row);
  }
  return rows;
}

TEST_CASE("A metadata file above images has their fields", "[tree_tables]") {
  const SourceSet set = SetOf(
      "file_name,caption,score,id\n"
      "cat/1.jpg,\"one, cat\",1.5,a7\n"
      "./dog/x/3.jpg,a dog,2,a9\n"
      "cat/2.jpg,,3,\n");
  CHECK(FieldsOf(set) ==
        Strings{"cat/1.jpg caption:|S=one, cat id:|S=a7 score:<f8",
                "cat/2.jpg score:<f8",
                "dog/x/3.jpg caption:|S=a dog id:|S=a9 score:<f8"});
  // Labels and ids are those of the tree.
  CHECK(RowsOf(set) == Strings{"train/0 cat/1.jpg =0", "train/1 cat/2.jpg =0",
                               "train/2 dog/x/3.jpg =1"});
  CHECK(set.text_fields == Strings{"caption", "id"});
  CHECK(set.has_metadata);
  CHECK(set.ignored.empty());
  CHECK(set.notes == Strings());
  CHECK(set.remarks ==
        Strings{"t/metadata.csv: columns: file_name, caption, score, id; "
                "header: yes"});
}

TEST_CASE("The nearest metadata file counts, and all have one set of columns",
          "[tree_tables]") {
  MemoryStorage storage;
  PutTree(storage,
          "file_name,n,a\ncat/1.jpg,1,x\ndog/x/3.jpg,2,y\ncat/2.jpg,3,z\n");
  storage.Put("t/dog/metadata.jsonl",
              "{\"file_name\":\"x/3.jpg\",\"b\":\"far\",\"n\":0.5}\n");
  const SourceSet set = Load(storage, TreeOptions());
  CHECK(FieldsOf(set) == Strings{"cat/1.jpg a:|S=x n:<f8",
                                 "cat/2.jpg a:|S=z n:<f8",
                                 "dog/x/3.jpg b:|S=far n:<f8"});
  CHECK(ProblemsOf(set.ignored) ==
        Strings{"metadata-nearer dog/x/3.jpg (metadata.csv:3)"});
  CHECK(set.notes == Strings{"t/metadata.csv: 1 of 3 rows are of no image, "
                             "such as dog/x/3.jpg"});
  CHECK(set.remarks.front().ends_with("; 1 more metadata files"));
}

TEST_CASE("Splits beside each other have the metadata of the folder above",
          "[tree_tables]") {
  MemoryStorage storage;
  PutAll(storage, {"p/train/cat/1.jpg", "p/train/dog/2.jpg", "p/val/cat/1.jpg",
                   "p/val/cat/9.jpg"});
  storage.Put("p/metadata.csv",
              "file_name,c,split\ntrain/cat/1.jpg,a,train\n"
              "train/dog/2.jpg,b,train\nval/cat/1.jpg,c,val\ntest/1.jpg,d,t\n");
  SourceOptions options;
  options.folders = {{"train", "p/train"}, {"val", "p/val/"}};
  const SourceSet set = Load(storage, options);
  CHECK(FieldsOf(set) == Strings{"cat/1.jpg c:|S=a", "dog/2.jpg c:|S=b",
                                 "cat/1.jpg c:|S=c", "cat/9.jpg"});
  CHECK(ProblemsOf(set.ignored) ==
        Strings{"row-without-image test/1.jpg (metadata.csv:5)",
                "metadata-missing cat/9.jpg"});
  storage.Put("p/metadata.csv", "file_name,split\ntrain/cat/1.jpg,val\n");
  CHECK_THAT(LoadError(storage, options).ToString(),
             Catch::Contains("line 2: split val, and the image is in the "
                             "folder of split train"));
  // A folder alone has the files below it.
  options.folders = {{"train", "p/train"}};
  CHECK_FALSE(Load(storage, options).has_metadata);
}

TEST_CASE("Rows without images and images without rows are listed",
          "[tree_tables]") {
  const SourceSet set = SetOf(
      "file_name,c\ncat/1.jpg,x\ncat/7.jpg,y\nnone/2.jpg,z\ncat/x\xff.jpg,w\n");
  CHECK(FieldsOf(set) ==
        Strings{"cat/1.jpg c:|S=x", "cat/2.jpg", "dog/x/3.jpg"});
  CHECK(ProblemsOf(set.ignored) ==
        Strings{"row-without-image cat/7.jpg (metadata.csv:3)",
                "row-without-image none/2.jpg (metadata.csv:4)",
                "row-without-image cat/x\xff.jpg (metadata.csv:5)",
                "metadata-missing cat/2.jpg", "metadata-missing dog/x/3.jpg"});
  CHECK(set.notes ==
        Strings{"t/metadata.csv: 3 of 4 rows are of no image, such as "
                "cat/7.jpg",
                "2 of 3 images have no row in a metadata file, such as "
                "cat/2.jpg"});
  CHECK_THAT(ErrorOf("file_name,c\nx.jpg,1\ny.jpg,2\n"),
             Catch::Contains("t/metadata.csv: no row is of an image, the "
                             "first of x.jpg"));
}

TEST_CASE("A row must name one image below its file's folder",
          "[tree_tables]") {
  CHECK_THAT(ErrorOf("file_name,c\n/t/cat/1.jpg,x\n"),
             Catch::Contains(
                 "metadata.csv: byte 12: line 2: the path does not start"));
  CHECK_THAT(ErrorOf("file_name,c\nfile://t/cat/1.jpg,x\n"),
             Catch::Contains("the path does not start"));
  for (const char* climbing :
       {"../cat/1.jpg", "cat/../cat/1.jpg", "cat/..", "..\\\\cat\\\\1.jpg"}) {
    CHECK_THAT(
        ErrorOf("{\"file_name\":\"" + std::string(climbing) + "\",\"c\":1}\n",
                "t/cat/metadata.jsonl"),
        Catch::Contains("the path has a part \"..\""));
  }
  CHECK_THAT(ErrorOf("file_name,c\ncat/1.jpg,x\ncat/2.jpg,x\ncat/1.jpg,y\n"),
             Catch::Contains("line 4: line 2 is a row of cat/1.jpg, too"));
  CHECK_THAT(ErrorOf("file_name,c\n,x\n"), Catch::Contains("no path"));
  CHECK_THAT(ErrorOf(std::string("file_name,c\na\0b.jpg,x\n", 22)),
             Catch::Contains("NUL byte"));
  CHECK_THAT(ErrorOf("caption,text\na,b\n"), Catch::Contains("line 1"));
  CHECK_THAT(ErrorOf("file_name,path\ncat/1.jpg,cat/2.jpg\n"),
             Catch::Contains("the file could be file_name \"cat/1.jpg\" or "
                             "path \"cat/2.jpg\""));
  CHECK_THAT(ErrorOf("PAR1\x15\x04\x15", "t/metadata.parquet"),
             Catch::Contains("is Parquet, and no text here; write it as CSV or "
                             "JSON lines: pandas.read_parquet(IN).to_csv(OUT"));
}

TEST_CASE("Names without a suffix, and of Windows, find their images",
          "[tree_tables]") {
  CHECK(FieldsOf(SetOf("file_name,c\ncat\\1.jpg,x\ndog/x/3,y\n"))[2] ==
        "dog/x/3.jpg c:|S=y");
  MemoryStorage storage;
  PutTree(storage, "file_name,c\ncat/1,x\n");
  storage.Put("t/cat/1.png", "png");
  CHECK_THAT(LoadError(storage, TreeOptions()).ToString(),
             Catch::Contains("several images have this name"));
}

TEST_CASE("An option names metadata files, or turns them off",
          "[tree_tables]") {
  MemoryStorage storage;
  PutTree(storage, "no table\n");
  SourceOptions options = TreeOptions();
  options.metadata_file = "none";
  SourceSet set = Load(storage, options);
  CHECK_FALSE(set.has_metadata);
  CHECK(ProblemsOf(set.ignored) == Strings{"not-an-image-suffix metadata.csv"});
  storage.Put("t/cat/rows.tsv", "path\tc\n1.jpg\tx\n");
  options.metadata_file = "rows.tsv";
  set = Load(storage, options);
  CHECK(FieldsOf(set)[0] == "cat/1.jpg c:|S=x");
  options.metadata_file = "cat/rows.tsv";
  CHECK_THAT(LoadError(storage, options).ToString(),
             Catch::Contains("named without a folder"));
  options.metadata_file = "lost.csv";
  CHECK_THAT(LoadError(storage, options).ToString(),
             Catch::Contains("t: no folder has a file lost.csv"));
  PutTree(storage, "file_name\n");
  storage.Put("t/metadata.jsonl", "{}");
  CHECK_THAT(LoadError(storage, TreeOptions()).ToString(),
             Catch::Contains("t/metadata.jsonl: the folder has another "
                             "metadata file, metadata.csv"));
}

TEST_CASE("Rows of images that cannot be read are no strangers",
          "[tree_tables]") {
  MemoryStorage storage;
  PutTree(storage, "file_name,c\ncat/gone.jpg,x\n");
  storage.PutSymlink("t/cat/gone.jpg", "nowhere");
  const SourceSet set = Load(storage, TreeOptions());
  CHECK(ProblemsOf(set.bad) == Strings{"dangling-link cat/gone.jpg"});
  CHECK(set.notes.size() == 1);
}

}  // namespace
}  // namespace shardine::tree_tables_test
