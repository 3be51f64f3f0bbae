#include "extract/annotation_fields.h"

#include <catch2/catch.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "base/bytes.h"

namespace shardine::annotation_fields_test {
namespace {

template <typename T>
std::string Bytes(const std::vector<T>& values) {
  std::string bytes;
  for (const T value : values) AppendLe(value, bytes);
  return bytes;
}

struct OwnedField {
  std::string name;
  std::string dtype;
  std::vector<std::uint64_t> shape;
  std::string bytes;
};

std::vector<OwnedField> Good() {
  return {{"bbox", "<f8", {2, 4}, Bytes<double>({1, 2, 3, 4, 5, 6, 7, 8})},
          {"bbox_crowd", "|u1", {2}, std::string("\0\1", 2)},
          {"bbox_label", "<i8", {2}, Bytes<std::int64_t>({7, 0})},
          {"captions", "|S", {}, R"(["a","b"])"},
          {"keypoints", "<f4", {2, 1, 3}, Bytes<float>({1, 2, 2, 0, 0, 0})},
          {"polygon", "<f8", {3, 2}, Bytes<double>({1, 2, 3, 4, 5, 6})},
          {"polygon_rows", "<i8", {2, 2}, Bytes<std::int64_t>({1, 2, 1, 1})},
          {"rle", "<i8", {2}, Bytes<std::int64_t>({1, 3})},
          {"rle_rows", "<i8", {1, 4}, Bytes<std::int64_t>({0, 2, 2, 2})}};
}

Result<ImageAnnotations> Read(const std::vector<OwnedField>& fields) {
  std::vector<FieldView> views;
  for (const OwnedField& field : fields) {
    views.push_back({field.name, field.dtype, field.shape, AsBytes(field.bytes),
                     /*is_text=*/false});
  }
  return ReadAnnotations(views);
}

TEST_CASE("Annotations are read from fields of any type of numbers",
          "[extract]") {
  const auto read = Read(Good());
  REQUIRE(read.ok());
  REQUIRE(read->objects.size() == 2);
  const AnnotatedObject& first = read->objects[0];
  const AnnotatedObject& second = read->objects[1];
  CHECK(first.category == 7);
  CHECK(first.mask->counts == std::vector<std::int64_t>{1, 3});
  CHECK(first.points == std::vector<double>{1, 2, 2});
  CHECK(second.box == std::array<double, 4>{5, 6, 7, 8});
  CHECK(second.is_crowd);
  CHECK(second.polygons ==
        std::vector<std::vector<double>>{{1, 2, 3, 4}, {5, 6}});
  CHECK(read->captions == std::vector<std::string>{"a", "b"});
  CHECK(Read({})->objects.empty());
}

TEST_CASE("Fields of annotations that do not fit are named",
          "[extract][hostile]") {
  const std::vector<std::int64_t> kNumbers = {-1, 3, std::int64_t{1} << 62,
                                              INT64_MIN};
  for (std::size_t i = 0; i < Good().size(); ++i) {
    auto fields = Good();
    INFO(fields[i].name);
    fields[i].dtype = "<U2";
    CHECK((fields[i].name == "captions" || !Read(fields).ok()));
    fields = Good();
    fields[i].shape.push_back(1);
    CHECK((fields[i].name == "captions" || !Read(fields).ok()));
    fields = Good();
    if (fields[i].dtype != "<i8") continue;
    for (const std::int64_t number : kNumbers) {
      fields = Good();
      const std::size_t count = fields[i].bytes.size() / 8;
      fields[i].bytes = Bytes(std::vector<std::int64_t>(count, number));
      const bool is_label = fields[i].name == "bbox_label";
      CHECK(Read(fields).ok() == (is_label && number == 3));
    }
  }
}

TEST_CASE("Boxes without labels have no category", "[extract]") {
  auto fields = Good();
  std::erase_if(fields,
                [](const auto& field) { return field.name == "bbox_label"; });
  CHECK(Read(fields).status().code() == Code::kUnsupported);
}

}  // namespace
}  // namespace shardine::annotation_fields_test
