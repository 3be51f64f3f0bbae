#include "source/annotations.h"

#include <catch2/catch.hpp>

#include "source/mask_runs.h"
#include "unit/source/annotation_fixture.h"

namespace shardine::annotations_test {
namespace {

using Catch::Contains;
using Counts = std::vector<std::int64_t>;

TEST_CASE("ParseAnnotations reads kinds, paths and splits", "[annotations]") {
  for (const char* text :
       {"coco:a.json", "coco:a,b.json,coco:c.json", "voc:d", "yolo:d/data.yaml",
        "train=coco:a=b.json,val=coco:s3://bucket/x,y.json", "coco:x,s3://b"}) {
    const auto sources = ParseAnnotations(text);
    INFO(sources.status().ToString());
    REQUIRE(sources.ok());
    CHECK(AnnotationsText(*sources) == text);
  }
  CHECK(ParseAnnotations("coco:a,b.json,coco:c.json")->size() == 2);
  CHECK(ParseAnnotations("coco:x,s3://b")->size() == 1);
  for (const char* kind : {"openimages:a.csv", "labelme:d", "cvat:a.xml",
                           "kaggle-imagenet:a.csv", "ilsvrc:d"}) {
    const Status status = ParseAnnotations(kind).status();
    CHECK(status.code() == Code::kInvalidArgument);
    CHECK_THAT(status.message(), Contains("datumaro or panlabel"));
  }
  for (const char* text :
       {"", "a.json", "coco:", ":a", "coco", ",coco:a", "coco:a,voc:"}) {
    CHECK(ParseAnnotations(text).status().code() == Code::kInvalidArgument);
  }
}

TEST_CASE("Fields of annotations have names of their own", "[annotations]") {
  MemoryStorage storage;
  PutAll(storage, {"t/a.jpg"});
  storage.Put("a.json", R"({"images":[{"id":1,"file_name":"a.jpg"}],)"
                        R"("categories":[{"id":1,"name":"c"}],)"
                        R"("annotations":[]})");
  storage.Put("l.csv", "path,label,bbox\na.jpg,1,7\n");
  SourceOptions options = AnnotatedBy("coco:a.json");
  options.list = "l.csv";
  CHECK_THAT(LoadError(storage, options).message(), Contains("\"bbox\""));
  storage.Put("l.csv", "path,label,age\na.jpg,1,7\n");
  const SourceSet set = Load(storage, options);
  CHECK(FieldsOf(set, 0)["age"] == " 7");
  CHECK(FieldsOf(set, 0)["bbox"] == "0x4");
  options.annotations.push_back({"", "voc", "v"});
  CHECK_THAT(LoadError(storage, options).message(), Contains("two kinds"));
}

TEST_CASE("Cells of arrays that no one wrote are refused", "[annotations]") {
  const std::vector<TableColumn> columns = {{"a", ColumnType::kArray}};
  std::string cells;
  const std::uint64_t sides[] = {1, 2};
  AppendArray(0, "<f8", sides, std::string(16, '\0'), cells);
  const auto fields = ColumnFieldsOf(cells, columns);
  REQUIRE(fields.has_value());
  CHECK(fields->at(0).shape == std::vector<std::uint64_t>{1, 2});
  for (std::size_t cut = 1; cut < cells.size(); ++cut) {
    CHECK_FALSE(ColumnFieldsOf(cells.substr(0, cut), columns).has_value());
  }
  std::string cell(1, '\1');
  AppendLe(std::uint64_t{1} << 62, cell);
  AppendLe(std::uint64_t{8}, cell);
  std::string huge;
  AppendCells({{.kind = CellKind::kText, .text = cell, .column = 0}}, huge);
  CHECK_FALSE(ColumnFieldsOf(huge, columns).has_value());
}

TEST_CASE("ReadRunText reads the counts of pycocotools", "[annotations]") {
  // pycocotools.mask.encode of masks; counts from its uncompressed form.
  CHECK(ReadRunText("") == Counts{});
  CHECK(ReadRunText("04") == Counts{0, 4});
  CHECK(ReadRunText("123") == Counts{1, 2, 3});
  CHECK(ReadRunText("1231") == Counts{1, 2, 3, 3});
  CHECK(ReadRunText("13N") == Counts{1, 3, -2});
  CHECK_FALSE(ReadRunText("o").has_value());
  CHECK_FALSE(ReadRunText("oooooooooooo").has_value());
  CHECK_FALSE(ReadRunText(" ").has_value());
  CHECK_FALSE(ReadRunText("\xff").has_value());
  CHECK(FillsMask({1, 2, 3}, 2, 3));
  CHECK_FALSE(FillsMask({1, 2, -3}, 2, 3));
  CHECK_FALSE(FillsMask({6}, std::uint64_t{1} << 40, std::uint64_t{1} << 40));
}

}  // namespace
}  // namespace shardine::annotations_test
