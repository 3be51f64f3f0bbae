#include <catch2/catch.hpp>

#include "source/yolo_row.h"
#include "source/yolo_yaml.h"
#include "support/jpeg_maker.h"
#include "unit/source/annotation_fixture.h"

namespace shardine::yolo_folder_test {
namespace {

using Catch::Contains;

constexpr char kYaml[] =
    "path: ../data\ntrain: images/train\nval: [a, b]\n"
    "names:\n  0: cat\n  1: 'dog'\nnc: 2\n";

// Images of 40 x 20 pixels.
std::string Image(int orientation = 0) {
  const std::string jpeg = MakeJpeg({.width = 40, .height = 20});
  return orientation == 0
             ? jpeg
             : InsertAfterSoi(jpeg, ExifSegment(orientation, false));
}

SourceOptions LabelledBy(MemoryStorage& storage, const std::string& labels,
                         const std::string& yaml = kYaml) {
  storage.Put("d/images/t/a.jpg", Image());
  storage.Put("d/labels/t/a.txt", labels);
  storage.Put("d/data.yaml", yaml);
  SourceOptions options = AnnotatedBy("yolo:d/data.yaml");
  options.folders = {{"train", "d/images/t"}};
  return options;
}

TEST_CASE("YOLO labels lie in labels instead of images", "[annotations]") {
  MemoryStorage storage;
  SourceOptions options = LabelledBy(
      storage, "1 0.5 0.5 0.25 0.5\r\n\n0 0 0 1 0 1 1\n0 0.5 0.5 1 1");
  storage.Put("d/images/t/bare.jpg", Image());
  storage.Put("d/images/t/empty.jpg", Image());
  storage.Put("d/labels/t/empty.txt", "\n");
  storage.Put("d/labels/t/gone.txt", "0 0.5 0.5 1 1\n");
  storage.Put("d/labels/t/classes.txt", "cat\n");
  const SourceSet set = Load(storage, options);
  auto fields = FieldsOf(set, 0);
  CHECK(fields["bbox"] == "3x4 15 5 25 15 0 0 40 20 0 0 40 20");
  CHECK(fields["bbox_label"] == "3 1 0 0");
  CHECK(fields["polygon"] == "3x2 0 0 40 0 40 20");
  CHECK(fields["polygon_rows"] == "1x2 1 3");
  CHECK_THAT(fields["annotations"], Contains("1 0.5 0.5 0.25 0.5\r\n"));
  // A missing file and an empty one are background.
  CHECK(FieldsOf(set, 1)["bbox"] == "0x4");
  CHECK(FieldsOf(set, 2)["bbox"] == "0x4");
  CHECK(set.categories.at(1).name == "dog");
  CHECK(ProblemsOf(set.ignored) == Strings{"annotation-unmatched gone.txt"});
}

TEST_CASE("YOLO boxes are of the turned image", "[annotations]") {
  // The first quarter of the width of the image as it is shown.
  const std::pair<int, const char*> boxes[] = {
      {1, "1x4 0 0 10 20"},  {2, "1x4 30 0 40 20"}, {3, "1x4 30 0 40 20"},
      {4, "1x4 0 0 10 20"},  {5, "1x4 0 0 40 5"},   {6, "1x4 0 15 40 20"},
      {7, "1x4 0 15 40 20"}, {8, "1x4 0 0 40 5"}};
  for (const auto& [orientation, box] : boxes) {
    INFO(orientation);
    MemoryStorage storage;
    const SourceOptions options = LabelledBy(storage, "0 0.125 0.5 0.25 1");
    storage.Put("d/images/t/a.jpg", Image(orientation));
    CHECK(FieldsOf(Load(storage, options), 0)["bbox"] == box);
  }
}

TEST_CASE("YOLO poses have the points of kpt_shape", "[annotations]") {
  MemoryStorage storage;
  const SourceOptions three =
      LabelledBy(storage, "0 0.5 0.5 1 1 0.5 0.5 2 0 0 0",
                 "names: [a]\nkpt_shape: [2, 3]");
  CHECK(FieldsOf(Load(storage, three), 0)["keypoints"] ==
        "1x2x3 20 10 2 0 0 0");
  const SourceOptions two = LabelledBy(storage, "0 0.5 0.5 1 1 0.5 0.5 0 0",
                                       "names: [a]\nkpt_shape: [2, 2]");
  CHECK(FieldsOf(Load(storage, two), 0)["keypoints"] == "1x2x3 20 10 2 0 0 0");
}

TEST_CASE("A YOLO line that cannot be is said by its number", "[annotations]") {
  const std::pair<const char*, const char*> faults[] = {
      {"2 0.5 0.5 1 1", "unknown class 2"},
      {"-1 0.5 0.5 1 1", "unknown class -1"},
      {"0.5 0.5 0.5 1 1", "unknown class 0.5"},
      {"1e300 0.5 0.5 1 1", "unknown class"},
      {"0 nan 0.5 1 1", "no number"},
      {"0 0.5 inf 1 1", "no number"},
      {"cat 0.5 0.5 1 1", "no number"},
      {"0 0.5 0.5 1", "4 numbers"},
      {"0 0.5 0.5 1 1 0.9", "6 numbers"},
      {"0 0.5 0.5 0 1", "without a size"},
      {"0 0.5 0.5 -0.5 1", "beyond 0 to 1"},
      {"0 20 10 5 5", "beyond 0 to 1"},
      {"0 0.1 0.1 0.2 0.2 0.3 0.3 0.4", "8 numbers"},
      {"1 0.5 0.5 1 1", "comes again"}};
  for (const auto& [line, fault] : faults) {
    INFO(line);
    MemoryStorage storage;
    SourceOptions options =
        LabelledBy(storage, "1 0.5 0.5 1 1\n" + std::string(line) + "\n");
    const Status status = LoadError(storage, options);
    CHECK(status.code() == Code::kCorrupt);
    CHECK(status.where().path == "d/labels/t/a.txt");
    CHECK_THAT(status.message(), Contains("line 2 (a.jpg)"));
    CHECK_THAT(status.message(), Contains(fault));
    options.bad_annotations = BadAnnotations::kSkip;
    const SourceSet set = Load(storage, options);
    CHECK(FieldsOf(set, 0)["bbox_label"] == "1 1");
    CHECK(ProblemsOf(set.ignored) ==
          Strings{"annotation-dropped a.jpg (a.txt:2)"});
  }
}

TEST_CASE("YOLO labels are never of no image, nor of one without a size",
          "[annotations]") {
  MemoryStorage storage;
  SourceOptions options = LabelledBy(storage, "0 0.5 0.5 1 1");
  storage.Put("d/images/t/a.jpg", "not an image");
  CHECK_THAT(LoadError(storage, options).message(),
             Contains("size is not known"));
  storage.Put("e/images/a.jpg", Image());
  options.folders = {{"train", "e/images"}};
  const Status status = LoadError(storage, options);
  CHECK_THAT(status.message(), Contains("no image has labels"));
  CHECK_THAT(status.message(), Contains("e/labels/a.txt"));
}

TEST_CASE("A data.yaml that is none is refused", "[annotations]") {
  const auto repeated = [](std::string_view text, std::size_t count) {
    std::string all;
    while (count-- > 0) all += text;
    return all;
  };
  // Every alias is its anchor ten times over.
  std::string bomb = "a0: &a0 [x, x]\n";
  for (int i = 1; i < 40; ++i) {
    const std::string last = "*a" + std::to_string(i - 1);
    bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + last +
            "," + last + "," + last + "]\n";
  }
  const std::pair<std::string, const char*> files[] = {
      {"", "no map"},
      {"- a", "no map"},
      {"{}", "no names"},
      {"names: [a, [b]]", "no text"},
      {"names: {a: b}", "but numbers"},
      {"names: {0: a, 2: b}", "no class 1"},
      {"names: {0: a, 0: b}", "class 0 again"},
      {"names: a", "neither a list"},
      {"names: [a]\nnc: 2", "nc is 2"},
      {"nc: -1", "nc is no number"},
      {"nc: 999999999999", "nc is no number"},
      {"names: [a]\nnames: [b]", "again"},
      {"names: [a]\nkpt_shape: [17]", "kpt_shape"},
      {"names: [a]\nkpt_shape: [99999999999, 3]", "kpt_shape"},
      {"names: [a", "YAML"},
      {"a: *b", "YAML"},
      {std::string("names: [a]\n\0", 12), "YAML"},
      {"names: " + repeated("[", 100'000), "more than 64 deep"},
      {"names: " + repeated("{a: ", 100'000), "more than 64 deep"},
      {repeated("- ", 100'000), "more than 64 deep"},
      {repeated("? ", 100'000), "more than 64 deep"},
      {bomb + "names: *a39\n", "no text"}};
  for (const auto& [yaml, fault] : files) {
    INFO(yaml.substr(0, 60));
    const auto parsed = ParseYoloYaml(yaml);
    REQUIRE_FALSE(parsed.ok());
    CHECK(parsed.status().code() == Code::kCorrupt);
    CHECK_THAT(parsed.status().message(), Contains(fault));
  }
  CHECK(ParseYoloYaml(bomb + "names: [a]\n").ok());
  CHECK(ParseYoloYaml("nc: 2")->names == Strings{"class_0", "class_1"});
}

}  // namespace
}  // namespace shardine::yolo_folder_test
