#include <catch2/catch.hpp>

#include "unit/source/annotation_fixture.h"

namespace shardine::coco_file_test {
namespace {

using Catch::Contains;

// Ids with a gap, 0-based and as texts; an image without annotations; one that
// the folder has not; all forms of masks.
constexpr char kInstances[] = R"({
 "info": {"year": 2017},
 "annotations": [
  {"id": 7, "image_id": "b", "category_id": 9, "bbox": [1.5, 2, 3, 4],
   "area": 12, "iscrowd": null, "segmentation": [[0,0,1,0,1,1],[2,2,3,2,3,3]],
   "keypoints": [1,2,2, 0,0,0], "num_keypoints": 1},
  {"id": 7, "image_id": 0, "category_id": 0, "bbox": [0, 0, 2, 2],
   "iscrowd": 1, "segmentation": {"counts": [1, 2, 3], "size": [2, 3]}},
  {"id": 8, "image_id": 0, "category_id": 9, "bbox": [90, 0, 20, 2],
   "segmentation": {"counts": "02", "size": [1, 2]}}
 ],
 "images": [
  {"id": 0, "file_name": "sub/a.jpg", "width": 100, "height": 50},
  {"id": "b", "file_name": "b.jpg", "width": 100, "height": 50},
  {"id": 3, "file_name": "c.jpg", "width": null},
  {"id": 4, "file_name": "gone.jpg"}
 ],
 "categories": [
  {"id": 9, "name": "person", "keypoints": ["nose", "eye"]},
  {"id": 0, "name": "crane"}
 ]})";

void PutImages(MemoryStorage& storage) {
  PutAll(storage, {"t/a.jpg", "t/b.jpg", "t/c.jpg", "t/d.jpg"});
}

Status ErrorOf(const std::string& json) {
  MemoryStorage storage;
  PutImages(storage);
  storage.Put("a.json", json);
  return LoadError(storage, AnnotatedBy("coco:a.json"));
}

// A file with one image, a.jpg of id 1, one category of id 1, and this.
std::string WithAnnotation(const std::string& annotation) {
  return R"({"images":[{"id":1,"file_name":"a.jpg"}],)"
         R"("categories":[{"id":1,"name":"cat","keypoints":["a"]}],)"
         R"("annotations":[)" +
         annotation + "]}";
}

TEST_CASE("COCO instances become fields of all samples", "[annotations]") {
  MemoryStorage storage;
  PutImages(storage);
  storage.Put("a.json", kInstances);
  const SourceSet set = Load(storage, AnnotatedBy("coco:a.json"));
  REQUIRE(set.samples.size() == 4);
  auto fields = FieldsOf(set, 0);
  CHECK(fields["bbox"] == "2x4 0 0 2 2 90 0 110 2");
  CHECK(fields["bbox_label"] == "2 0 1");
  CHECK(fields["bbox_crowd"] == "2 1 0");
  CHECK(fields["keypoints"] == "2x2x3 0 0 0 0 0 0 0 0 0 0 0 0");
  CHECK(fields["polygon"] == "0x2");
  CHECK(fields["polygon_rows"] == "0x2");
  CHECK(fields["rle_rows"] == "2x4 0 3 2 3 1 2 1 2");
  CHECK(fields["rle"] == "5 1 2 3 0 2");
  CHECK_THAT(fields["annotations"],
             Contains(R"({"image":{"id":0,"file_name":"sub/a.jpg")"));
  fields = FieldsOf(set, 1);
  CHECK(fields["bbox"] == "1x4 1.5 2 4.5 6");
  CHECK(fields["bbox_label"] == "1 1");
  CHECK(fields["keypoints"] == "1x2x3 1 2 2 0 0 0");
  CHECK(fields["polygon"] == "6x2 0 0 1 0 1 1 2 2 3 2 3 3");
  CHECK(fields["polygon_rows"] == "2x2 0 3 0 3");
  // An image that has none, and one that is not in the file.
  CHECK(FieldsOf(set, 2)["bbox"] == "0x4");
  CHECK_THAT(FieldsOf(set, 2)["annotations"], Contains("c.jpg"));
  CHECK(FieldsOf(set, 3)["bbox"] == "0x4");
  CHECK(FieldsOf(set, 3)["annotations"].empty());
  REQUIRE(set.categories.size() == 2);
  CHECK(set.categories[0].id == "0");
  CHECK(set.categories[0].name == "crane");
  CHECK(set.categories[1].id == "9");
  CHECK(ProblemsOf(set.ignored) == Strings{"annotation-unmatched gone.jpg"});
  CHECK(set.text_fields == Strings{"annotations"});
}

TEST_CASE("COCO captions are texts, beside instances too", "[annotations]") {
  MemoryStorage storage;
  PutImages(storage);
  storage.Put("i.json", kInstances);
  storage.Put("c,1.json",
              R"({"images":[{"id":0,"file_name":"a.jpg"}],"annotations":[)"
              R"({"id":1,"image_id":0,"caption":"a \"cat\"\n"},)"
              R"({"id":2,"image_id":0,"caption":"two"}]})");
  SourceSet set = Load(storage, AnnotatedBy("coco:c,1.json"));
  CHECK(FieldsOf(set, 0)["captions"] == R"(["a \"cat\"\n","two"])");
  CHECK(FieldsOf(set, 1)["captions"] == "[]");
  CHECK(FieldsOf(set, 0).size() == 2);
  set = Load(storage, AnnotatedBy("coco:i.json,coco:c,1.json"));
  CHECK(FieldsOf(set, 0)["captions"] == R"(["a \"cat\"\n","two"])");
  CHECK(FieldsOf(set, 0)["bbox_label"] == "2 0 1");
  // Boxes of one image in two files would be counted twice.
  storage.Put("again.json", kInstances);
  CHECK_THAT(
      LoadError(storage, AnnotatedBy("coco:i.json,coco:again.json")).message(),
      Contains("has boxes in two files"));
}

TEST_CASE("Each split can have its own COCO file", "[annotations]") {
  MemoryStorage storage;
  PutAll(storage, {"t/a.jpg", "v/a.jpg"});
  for (const char* name : {"t", "v"}) {
    storage.Put(
        std::string(name) + ".json",
        WithAnnotation(R"({"id":1,"image_id":1,"category_id":1,"bbox":)" +
                       std::string(*name == 't' ? "[0,0,1,1]" : "[0,0,2,2]") +
                       "}"));
  }
  SourceOptions options = AnnotatedBy("train=coco:t.json,val=coco:v.json");
  options.folders = {{"train", "t"}, {"val", "v"}};
  const SourceSet set = Load(storage, options);
  CHECK(FieldsOf(set, 0)["bbox"] == "1x4 0 0 1 1");
  CHECK(FieldsOf(set, 1)["bbox"] == "1x4 0 0 2 2");
  options.annotations[0].split = "test";
  CHECK_THAT(LoadError(storage, options).message(), Contains("test"));
  // Without splits both images have the name.
  options.annotations = AnnotatedBy("coco:t.json").annotations;
  const Status status = LoadError(storage, options);
  CHECK_THAT(status.message(),
             Contains("\"a.jpg\" could be t/a.jpg or v/a.jpg"));
}

TEST_CASE("A COCO annotation that cannot be is said by name", "[annotations]") {
  const std::string begin = R"({"id":5,"image_id":1,"category_id":1,)";
  const std::pair<std::string, const char*> faults[] = {
      {begin + R"("bbox":[1,2,0,5]})", "a box without a size"},
      {begin + R"("bbox":[1,2,-3,5]})", "a box without a size"},
      {begin + R"("bbox":[1,2,NaN,5]})", "no JSON, such as NaN"},
      {begin + R"("bbox":[1e308,2,1e308,5]})", "not finite"},
      {begin + R"("bbox":[1,2,1e999,5]})", "no JSON"},
      {begin + R"("bbox":[1,2,3]})", "not four numbers"},
      {begin + R"("bbox":["1",2,3,4]})", "not four numbers"},
      {begin + R"("x":1})", "neither bbox nor caption"},
      {begin + R"("bbox":[0,0,1,1],"iscrowd":2})", "iscrowd"},
      {begin + R"("bbox":[0,0,1,1],"segmentation":[[0,0,1,1]]})", "2 points"},
      {begin + R"("bbox":[0,0,1,1],"segmentation":[[0,0,1,1,2]]})", "pairs"},
      {begin + R"("bbox":[0,0,1,1],"segmentation":"x"})", "neither polygons"},
      {begin +
           R"("bbox":[0,0,1,1],"segmentation":{"size":[2,2],"counts":[3]}})",
       "sum to its size"},
      {begin + R"("bbox":[0,0,1,1],"segmentation":{"size":[4294967296,)"
               R"(8589934592],"counts":[3]}})",
       "sum to its size"},
      {begin +
           R"("bbox":[0,0,1,1],"segmentation":{"size":[2,2],"counts":"oooo"}})",
       "damaged"},
      {begin + R"("bbox":[0,0,1,1],"keypoints":[1,2,2,1,2,2]})", "keypoints"},
      {R"({"id":5,"image_id":2,"category_id":1,"bbox":[0,0,1,1]})",
       "unknown image_id 2"},
      {R"({"id":5,"image_id":1,"category_id":3,"bbox":[0,0,1,1]})",
       "unknown category_id 3"},
      {R"({"id":5,"image_id":1,"bbox":[0,0,1,1]})", "without a category_id"},
      {R"({"id":5,"category_id":1,"bbox":[0,0,1,1]})", "without an image_id"}};
  // Points need no names.
  const std::string unnamed =
      WithAnnotation(begin + R"("bbox":[0,0,1,1],"keypoints":[1,2,2,3,4,1]})");
  MemoryStorage points;
  PutImages(points);
  points.Put("a.json",
             std::string(unnamed).replace(unnamed.find("[\"a\"]"), 5, "null"));
  CHECK(FieldsOf(Load(points, AnnotatedBy("coco:a.json")), 0)["keypoints"] ==
        "1x2x3 1 2 2 3 4 1");
  const std::string good = begin + R"("bbox":[0,0,1,1]},)";
  for (const auto& [annotation, fault] : faults) {
    INFO(annotation);
    const Status status = ErrorOf(WithAnnotation(good + annotation));
    CHECK(status.code() == Code::kCorrupt);
    CHECK(status.where().path == "a.json");
    CHECK_THAT(status.message(), Contains("annotation 2"));
    CHECK_THAT(status.message(), Contains(fault));
    MemoryStorage storage;
    PutImages(storage);
    storage.Put("a.json", WithAnnotation(good + annotation));
    SourceOptions options = AnnotatedBy("coco:a.json");
    options.bad_annotations = BadAnnotations::kSkip;
    const SourceSet set = Load(storage, options);
    CHECK(FieldsOf(set, 0)["bbox_label"] == "1 0");
    REQUIRE(set.ignored.size() == 1);
    CHECK(set.ignored[0].reason == "annotation-dropped");
    CHECK(set.ignored[0].line == 2);
  }
}

TEST_CASE("A COCO file that is none is refused", "[annotations]") {
  std::string deep = R"({"images":[],"annotations":[{"id":)";
  for (int i = 0; i < 100'000; ++i) deep += '[';
  const std::pair<std::string, const char*> files[] = {
      {"", "JSON"},
      {"[]", "JSON"},
      {"{\"images\":[", "JSON"},
      {std::string("{\"images\":[],\"annotations\":[]}\0x", 32), "JSON"},
      {"{\"images\":[],\"annotations\":[]} {}", "JSON"},
      {"\xff", "JSON"},
      {deep, "JSON"},
      {R"({"annotations":[]})", "no list \"images\""},
      {R"({"images":[]})", "no list \"annotations\""},
      {R"({"images":{},"annotations":[]})", "is not a list"},
      {R"({"images":[7],"annotations":[]})", "no object, number 1"},
      {R"({"images":[],"images":[],"annotations":[]})", "occurs twice"},
      {R"({"images":[{"id":1}],"annotations":[]})", "without a file_name"},
      {R"({"images":[{"id":1.5,"file_name":"a.jpg"}],"annotations":[]})",
       "without an id"},
      {R"({"images":[{"id":1,"file_name":"a.jpg"},)"
       R"({"id":"1","file_name":"b.jpg"}],"annotations":[]})",
       "the id 1"},
      {R"({"images":[],"annotations":[],"categories":[{"id":1}]})",
       "without id or name"},
      {R"({"images":[],"annotations":[],"categories":[{"id":1,"name":"a"},)"
       R"({"id":1,"name":"b"}]})",
       "two categories"}};
  for (const auto& [json, fault] : files) {
    INFO(json.substr(0, 100));
    const Status status = ErrorOf(json);
    CHECK(status.code() == Code::kCorrupt);
    CHECK(status.where().path == "a.json");
    CHECK_THAT(status.message(), Contains(fault));
  }
  const Status panoptic = ErrorOf(WithAnnotation(
      R"({"image_id":1,"file_name":"a.png","segments_info":[]})"));
  CHECK(panoptic.code() == Code::kUnsupported);
  CHECK_THAT(panoptic.message(), Contains("datumaro"));
}

TEST_CASE("Names of COCO images are compared with paths", "[annotations]") {
  MemoryStorage storage;
  PutAll(storage, {"t/x/a.jpg", "t/y/a.jpg", "t/x/b.jpg", "t/y/c.jpg"});
  const auto load = [&](const std::string& names) {
    storage.Put("a.json", R"({"images":[)" + names +
                              R"(],"categories":[{"id":1,"name":"cat"}],)"
                              R"("annotations":[{"image_id":1,"category_id":1,)"
                              R"("bbox":[0,0,1,1]}]})");
    return LoadSource(storage, AnnotatedBy("coco:a.json"));
  };
  for (const char* name :
       {"x/b.jpg", "b.jpg", "train/x/b.jpg", "./x/b.jpg", "x\\\\b.jpg"}) {
    INFO(name);
    const auto set =
        load(R"({"id":1,"file_name":")" + std::string(name) + "\"}");
    REQUIRE(set.status().ToString() == "OK");
    CHECK(FieldsOf(*set, 1)["bbox"] == "1x4 0 0 1 1");
  }
  // LVIS has addresses alone.
  CHECK(load(R"({"id":1,"coco_url":"http://h/c/x/b.jpg"})").ok());
  CHECK_THAT(load(R"({"id":1,"file_name":"a.jpg"})").status().message(),
             Contains("could be t/x/a.jpg or t/y/a.jpg"));
  CHECK_THAT(load(R"({"id":1,"file_name":"z/b.jpg"})").status().message(),
             Contains("1 of 1 annotated image"));
  CHECK_THAT(load(R"({"id":1,"file_name":"b.jpg"},)"
                  R"({"id":2,"file_name":"x/b.jpg"})")
                 .status()
                 .message(),
             Contains("two annotated images could be x/b.jpg"));
}

}  // namespace
}  // namespace shardine::coco_file_test
