// Lists that are tables: CSV, TSV, JSON arrays and JSON lines as sources.
#include <catch2/catch.hpp>
#include <string>

#include "base/bytes.h"
#include "source/table_fields.h"
#include "unit/source/source_fixture.h"

namespace shardine::listed_tables_test {
namespace {

SourceOptions OptionsOf(const std::string& name) {
  SourceOptions options;
  options.folders = {{"train", "/data"}};
  options.list = name;
  options.unlabelled = true;
  return options;
}

Result<SourceSet> LoadTable(MemoryStorage& storage, const std::string& text,
                            const std::string& name) {
  storage.Put(name, text);
  PutAll(storage, {"/data/a.jpg", "/data/n1/b c.jpg", "/data/n2/d,e.png"});
  return LoadSource(storage, OptionsOf(name));
}

SourceSet SetIn(const std::string& text, const std::string& name = "/l.csv") {
  MemoryStorage storage;
  auto set = LoadTable(storage, text, name);
  INFO(set.status().ToString());
  REQUIRE(set.ok());
  CHECK(ProblemsOf(set->bad) == Strings());
  return *std::move(set);
}

Strings RowsIn(const std::string& text, const std::string& name = "/l.csv") {
  return RowsOf(SetIn(text, name));
}

std::string ErrorIn(const std::string& text,
                    const std::string& name = "/l.csv") {
  MemoryStorage storage;
  const auto set = LoadTable(storage, text, name);
  REQUIRE_FALSE(set.ok());
  return set.status().ToString();
}

const Strings kRows = {"train/0 n2/d,e.png =4", "train/1 a.jpg =0"};

TEST_CASE("A list may be a table of any form", "[source][table]") {
  CHECK(RowsIn("path,label\n\"n2/d,e.png\",4\na.jpg,0\n") == kRows);
  CHECK(RowsIn("\xef\xbb\xbfLabel,File_Name\r\n4,\"n2/d,e.png\"\r\n\r\n"
               " 0 , a.jpg ") == kRows);
  CHECK(RowsIn("image;target\n\"n2/d,e.png\";4\na.jpg;0\n", "/l.txt") == kRows);
  CHECK(RowsIn("ImageId\tclass\nn2/d,e.png\t4\na.jpg\t0\n", "/l") == kRows);
  CHECK(RowsIn("{\"file_name\":\"n2/d,e.png\",\"label\":4}\n\n"
               "{\"label\":0,\"file_name\":\"a.jpg\"}\n",
               "/l.jsonl") == kRows);
  CHECK(RowsIn("{\"path\":\"n2/d,e.png\",\"labels\":[4]}\n"
               "{\"path\":\"a.jpg\",\"labels\":[0]}",
               "/l") == kRows);
  // The entries of an array are in the order of a tree.
  CHECK(RowsIn(R"([{"filename":"n2/d,e.png","category":4},
                   {"filename":"a.jpg","category":0}])",
               "/l.json") ==
        Strings{"train/0 a.jpg =0", "train/1 n2/d,e.png =4"});
}

TEST_CASE("A table without a header has one image in its first row",
          "[source][table]") {
  CHECK(RowsIn("\"n2/d,e.png\",4\na.jpg,0\n") == kRows);
  CHECK(RowsIn("4,\"n2/d,e.png\",2\n0,a.jpg,1\n") ==
        Strings{"train/0 n2/d,e.png =4 =2", "train/1 a.jpg =0 =1"});
  CHECK(RowsIn("7,4,\"n2/d,e.png\"\n5,0,a.jpg\n") ==
        Strings{"train/7 n2/d,e.png =4", "train/5 a.jpg =0"});
  CHECK_THAT(ErrorIn("3,a.jpg\n"),
             Catch::Contains("label \"3\" or id \"3\" of path \"a.jpg\": it "
                             "could be both"));
  CHECK_THAT(ErrorIn("img1,cat\n"),
             Catch::Contains("line 1: path \"img1\" and label \"cat\", or "
                             "label \"img1\" and path \"cat\""));
  CHECK_THAT(ErrorIn("a.jpg,b.jpg\n"), Catch::Contains("it could be both"));
}

TEST_CASE("What the columns are is said in a line", "[source][table]") {
  const SourceSet set = SetIn("path,label,split\na.jpg,0,val\n");
  CHECK(set.remarks ==
        Strings{"/l.csv: columns: path, label, split; header: yes"});
  CHECK(set.notes == Strings());  // that would be a warning
  CHECK(SetIn("a.jpg,0\n").remarks ==
        Strings{"/l.csv: columns: path, label; header: no"});
  CHECK(SetIn("{\"path\":\"a.jpg\",\"x\":1}", "/l.jsonl").remarks ==
        Strings{"/l.jsonl: columns: path, x"});
}

TEST_CASE("Names of a table's labels are its classes", "[source][table]") {
  const SourceSet set = SetIn(
      "path,label\n\"n2/d,e.png\",dog\na.jpg,\"[\"\"cat\"\", \"\"dog\"\"]\"\n");
  CHECK(RowsOf(set) == Strings{"train/0 n2/d,e.png =1", "train/1 a.jpg =0 =1"});
  CHECK(ClassesOf(set) == Strings{"0 cat x1", "1 dog x2"});
  CHECK(RowsIn("path,label\n\"n2/d,e.png\",\"[3, 0.5]\"\n") ==
        Strings{"train/0 n2/d,e.png =3 =0.5"});
  CHECK_THAT(ErrorIn("path,label\na.jpg,3\n\"n2/d,e.png\",dog\n"),
             Catch::Contains("line 3, column label: label \"dog\" is a name, "
                             "and label \"3\" before is none"));
  // A text of JSON is a name, whatever its letters.
  CHECK_THAT(ErrorIn("{\"path\":\"a.jpg\",\"label\":1}\n"
                     "{\"path\":\"a.jpg\",\"label\":\"2\"}\n",
                     "/l.jsonl"),
             Catch::Contains("line 2, column label: label \"2\" is a name"));
}

TEST_CASE("A label map numbers the names of a table", "[source][table]") {
  MemoryStorage storage;
  storage.Put("/map", "dog 7\ncat 9\n");
  storage.Put("/l.csv", "path,label\na.jpg,dog\n");
  PutAll(storage, {"/data/a.jpg"});
  SourceOptions options = OptionsOf("/l.csv");
  options.label_map = "/map";
  CHECK(RowsOf(Load(storage, options)) == Strings{"train/0 a.jpg =7"});
  storage.Put("/l.csv", "path,label\na.jpg,cow\n");
  CHECK_THAT(LoadError(storage, options).ToString(),
             Catch::Contains("line 2: class cow is not in the label map"));
}

TEST_CASE("Rows without labels have the class of their folder",
          "[source][table]") {
  const SourceSet set = SetIn("path\nn1/b c.jpg\n\"n2/d,e.png\"\n");
  CHECK(RowsOf(set) ==
        Strings{"train/0 n1/b c.jpg =0", "train/1 n2/d,e.png =1"});
  CHECK(ClassesOf(set) == Strings{"0 n1 x1", "1 n2 x1"});
  CHECK(ProblemsOf(SetIn("path\nn1/b c.jpg\na.jpg\n").ignored) ==
        Strings{"not-in-a-class a.jpg"});
  // A number that counts something else is no class of a folder.
  const std::string number = R"({"path":"n2/d,e.png","label":1})";
  const std::string none = R"({"path":"n1/b c.jpg"})";
  CHECK_THAT(ErrorIn(number + "\n" + none, "/l.jsonl"),
             Catch::Contains("line 2: no label, and other rows have numbers: "
                             "it could be class n1"));
  CHECK_THAT(ErrorIn(none + "\n" + number, "/l.jsonl"),
             Catch::Contains("line 2: a number as its label"));
  CHECK_THAT(ErrorIn("[" + none + "," + number + "]", "/l.json"),
             Catch::Contains("no label, and other rows have numbers"));
}

TEST_CASE("A column of splits makes them", "[source][table]") {
  const std::string list =
      "path,label,split\na.jpg,0,val\n\"n2/d,e.png\",1,train\n"
      "n1/b c.jpg,0,val\n";
  CHECK(RowsIn(list) == Strings{"val/0 a.jpg =0", "train/1 n2/d,e.png =1",
                                "val/2 n1/b c.jpg =0"});
  MemoryStorage storage;
  static_cast<void>(LoadTable(storage, list, "/l.csv"));
  SourceOptions options = OptionsOf("/l.csv");
  options.split_shares = {{"train", 0.5}, {"val", 0.5}};
  CHECK_THAT(LoadError(storage, options).ToString(),
             Catch::Contains("the list has a column of splits"));
  CHECK_THAT(ErrorIn("path,split\na.jpg,val\nn1/b c.jpg,\n"),
             Catch::Contains("line 3: no split, which rows before have"));
  CHECK_THAT(ErrorIn("path,split\na.jpg,../x\n"),
             Catch::Contains("line 2: \"../x\" is no name of a split"));
}

TEST_CASE("A column of groups keeps its samples together",
          "[source][table][split]") {
  MemoryStorage storage;
  std::string list = "path,label,group,patient\n";
  for (int i = 0; i < 40; ++i) {
    const std::string name = std::to_string(i) + ".jpg";
    storage.Put("/data/" + name, "bytes");
    list += name + ",0,g" + std::to_string(i % 5) + ",p" +
            std::to_string(i % 8) + "\n";
  }
  storage.Put("/l.csv", list);
  SourceOptions options = OptionsOf("/l.csv");
  options.split_shares = {{"train", 0.6}, {"val", 0.4}};
  const auto split_of = [&](const SourceSet& set, int groups) {
    std::vector<std::uint32_t> splits(static_cast<std::size_t>(groups), 9);
    for (std::size_t i = 0; i < set.samples.size(); ++i) {
      auto& split = splits[i % splits.size()];
      if (split == 9) split = set.samples.split(i);
      CHECK(split == set.samples.split(i));
    }
  };
  split_of(Load(storage, options), 5);
  options.split_rule.group_by = "column:patient";
  split_of(Load(storage, options), 8);
  options.split_rule.group_by = "column:none";
  CHECK_THAT(LoadError(storage, options).ToString(),
             Catch::Contains("the column \"none\", which no list has"));
}

std::string TypesOf(const SourceSet& set) {
  std::string text;
  const auto fields = ColumnFieldsOf(set.samples.fields(0), set.columns);
  REQUIRE(fields);
  for (const ColumnField& field : *fields) {
    text += std::string(field.name) + " " + std::string(field.dtype) + " " +
            std::to_string(field.bytes.size()) + "; ";
  }
  return text;
}

TEST_CASE("All other columns are fields of one type each", "[source][table]") {
  const SourceSet set = SetIn(
      "path,n,x,ok,zip,text,box,none,big\n"
      "\"n2/d,e.png\",1,2,True,01234,\"a \"\"b\"\",\r\nc\",\"[1, 2.5]\",,"
      "18446744073709551616\n"
      "n1/b c.jpg,-7,2.5,false,9,,\"[]\",,1\n");
  CHECK(TypesOf(set) ==
        "big |S 20; box <f8 16; n <i8 8; ok |b1 1; "
        "text |S 9; x <f8 8; zip |S 5; ");
  CHECK(set.text_fields == Strings{"big", "text", "zip"});
  const auto fields = ColumnFieldsOf(set.samples.fields(0), set.columns);
  CHECK((*fields)[4].bytes == "a \"b\",\r\nc");
  // A column without a value in a row is no field of it.
  CHECK(ColumnFieldsOf(set.samples.fields(1), set.columns)->size() == 6);
  const SourceSet json = SetIn(
      "{\"path\":\"a.jpg\",\"n\":1,\"code\":\"7\",\"box\":[1,2],\"b\":true,"
      "\"meta\":{\"a\":[1,{\"b\":null}]},\"gone\":null}\n",
      "/l.jsonl");
  CHECK(TypesOf(json) ==
        "b |b1 1; box <i8 16; code |S 1; meta |S 20; n <i8 8; ");
  CHECK((*ColumnFieldsOf(json.samples.fields(0), json.columns))[3].bytes ==
        R"({"a":[1,{"b":null}]})");
}

TEST_CASE("Two columns for one thing are shown both", "[source][table]") {
  CHECK_THAT(ErrorIn("path,file_name,label\na.jpg,b.jpg,3\n"),
             Catch::Contains("the file could be path \"a.jpg\" or file_name "
                             "\"b.jpg\""));
  CHECK_THAT(ErrorIn("path,label,class\na.jpg,3,cat\n"),
             Catch::Contains("the labels could be those of label \"3\" or "
                             "class \"cat\""));
  CHECK_THAT(ErrorIn("a.jpg,cat;dog\n", "/l.txt"),
             Catch::Contains("the first value is \"a.jpg\" before a comma, or "
                             "\"a.jpg,cat\" before a semicolon"));
}

TEST_CASE("Names without a suffix find their one image", "[source][table]") {
  MemoryStorage storage;
  PutAll(storage, {"/data/x1.png", "/data/x2.jpg", "/data/x2.png"});
  storage.Put("/l.csv", "key,label\nx1,3\nx2,4\nx3,5\n");
  const SourceSet set = Load(storage, OptionsOf("/l.csv"));
  CHECK(RowsOf(set) == Strings{"train/0 x1.png =3"});
  CHECK(ProblemsOf(set.bad) ==
        Strings{"several-images x2 (l.csv:3)", "missing x3 (l.csv:4)"});
}

TEST_CASE("Backslashes are slashes where no file has them", "[source][table]") {
  CHECK(RowsIn("path,label\nn1\\b c.jpg,3\n") ==
        Strings{"train/0 n1/b c.jpg =3"});
  MemoryStorage storage;
  PutAll(storage, {"/data/n1\\x.jpg", "/data/n1/x.jpg"});
  storage.Put("/l.csv", "path,label\nn1\\x.jpg,3\n");
  CHECK(RowsOf(Load(storage, OptionsOf("/l.csv"))) ==
        Strings{"train/0 n1\\x.jpg =3"});
}

TEST_CASE("What is no text is refused by its name", "[source][table]") {
  const auto check = [](const std::string& bytes, const std::string& message) {
    for (const char* name : {"/l", "/l.lst", "/l.csv", "/l.json", "/l.jsonl"}) {
      CHECK_THAT(ErrorIn(bytes, name), Catch::Contains(message));
    }
    MemoryStorage storage;
    PutAll(storage, {"/data/a.jpg"});
    storage.Put("/f", bytes);
    SourceOptions options = OptionsOf("");
    for (std::string SourceOptions::*door :
         {&SourceOptions::label_map, &SourceOptions::val_labels,
          &SourceOptions::blacklist, &SourceOptions::class_text,
          &SourceOptions::bounding_boxes}) {
      options.*door = "/f";
      CHECK_THAT(LoadError(storage, options).ToString(),
                 Catch::Contains(message));
      (options.*door).clear();
    }
  };
  using namespace std::string_literals;
  check("PAR1\x15\x04\x15"s, "is Parquet, and no text here; write it as CSV");
  check("PK\x03\x04\x14\0"s, "is a zip archive");
  check("\x1f\x8b\x08\0"s, "is compressed by gzip, and no text here");
  check("\xff\xfep\0a\0"s, "is UTF-16, and no text here; write it as UTF-8");
  // A class may have such a name.
  CHECK(RowsIn("path,label\na.jpg,PAR1\n") == Strings{"train/0 a.jpg =0"});
}

TEST_CASE("A damaged table is refused with line and column",
          "[source][table][corruption]") {
  const auto error = [](const std::string& text, const std::string& message,
                        const std::string& name = "/l.csv") {
    CHECK_THAT(ErrorIn(text, name), Catch::Contains(message));
  };
  error("path,label\na.jpg,\"3\n", "line 2, column 2: a quote is opened");
  error("path,label\na.jpg,3\"4\n", "line 2, column 2: a quote stands within");
  error("path,label\na.jpg\n", "line 2: 1 values, and 2 in the first row");
  error("path,label\na.jpg,3,4\n", "line 2: 3 values, and 2 in the first row");
  error(std::string("path,label\na.jpg,3\0\n", 20),
        "line 2, column 2: NUL byte");
  error("path,label\ra.jpg,3\r", "a carriage return stands within a line");
  error("path,label\n,3\n", "line 2, column path: no path");
  error("label,x\n3,4\n", "a header such as path,label");
  error("path,id\na.jpg,-1\n", "column id: the id is not a whole number");
  error("path,id\na.jpg,18446744073709551616\n", "column id: the id is not");
  error("path,label\na.jpg," + std::string(1 << 20, '1') + "\n",
        "line 2: longer than 1048576 bytes");
  error("path,text\na.jpg,\"" + std::string(17, '\n') + "x\n",
        "a quote is opened and not closed");
  error("{\"path\":\"a.jpg\"}\n{\"path\":1}\n",
        "line 2, column path: not the name of a file", "/l.jsonl");
  error("{\"path\":\"a.jpg\"}\n{\"path\"\n", "line 2: not valid JSON",
        "/l.jsonl");
  error("{\"path\":\"a.jpg\",\"path\":\"b\"}\n",
        "line 1: member \"path\" given twice", "/l.jsonl");
  error("{\"path\":\"a.jpg\",\"x\":" + std::string(100, '[') + "\n",
        "line 1: nested too deeply", "/l.jsonl");
  error("path,x,x\na.jpg,1,2\n",
        "line 1, column x: two columns have this name, the 2. and the 3.");
  error("path,,x\na.jpg,1,2\n", "column 2 has values and no name");
  error("id,label\n1,2\n", "line 2: no column names the files");
}

TEST_CASE("A column of several types is text", "[source][table]") {
  CHECK(TypesOf(SetIn("path,x\n\"n2/d,e.png\",1\nn1/b c.jpg,one\n")) ==
        "x |S 1; ");
  CHECK(SetIn("path,x\na.jpg,\xff\n").text_fields == Strings());
}

TEST_CASE("Files of labels, classes and names may be tables with a header",
          "[source][table]") {
  MemoryStorage storage;
  PutAll(storage, {"t/cat/1.jpg", "t/dog/2.jpg", "t/dog/3.jpg", "v/x.jpg"});
  storage.Put("map", "id;class\n7;dog\n3;cat\n");
  storage.Put("black.csv", "ImageId,why\n3.jpg,blurred\n");
  storage.Put("text", "wnid\ttext\ndog\tgood dog\n");
  storage.Put("val", "label,Filename\ncat,x.jpg\n");
  storage.Put("boxes",
              "filename,width,xmin,ymin,xmax,ymax\n2.jpg,9,0,0,0.5,1\n");
  SourceOptions options;
  options.folders = {{"train", "t"}, {"val", "v"}};
  options.label_map = "map";
  options.blacklist = "black.csv";
  options.class_text = "text";
  options.val_labels = "val";
  options.bounding_boxes = "boxes";
  const SourceSet set = Load(storage, options);
  CHECK(RowsOf(set) == Strings{"train/0 cat/1.jpg =3", "train/1 dog/2.jpg =7",
                               "val/3 x.jpg =3"});
  CHECK(set.classes[1].text == "good dog");
  CHECK(set.boxes.Find("dog/2.jpg")[0].xmax == 0.5f);
  // The same as JSON lines.
  storage.Put("val", "{\"path\":\"x.jpg\",\"label\":\"cat\"}\n");
  storage.Put("black.csv", "{\"path\":\"dog\\\\3.jpg\"}\n");
  CHECK(RowsOf(Load(storage, options)) == RowsOf(set));
  storage.Put("val", "label,filename\n,x.jpg\n");
  CHECK_THAT(LoadError(storage, options).ToString(),
             Catch::Contains("line 2, column label: no value"));
}

}  // namespace
}  // namespace shardine::listed_tables_test
