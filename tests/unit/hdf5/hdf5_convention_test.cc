#include "hdf5/hdf5_convention.h"

#include <catch2/catch.hpp>

namespace shardine::hdf5_convention_test {
namespace {

Hdf5Dataset Of(const std::string& path, Hdf5Element element,
               std::vector<std::uint64_t> dims, Hdf5Row row = Hdf5Row::kFixed) {
  Hdf5Dataset dataset;
  const std::size_t slash = path.rfind('/');
  if (slash != path.npos) dataset.group = path.substr(0, slash);
  dataset.name = path.substr(slash == path.npos ? 0 : slash + 1);
  dataset.type_name = "compound";
  dataset.element = element;
  dataset.dims = std::move(dims);
  dataset.row = row;
  return dataset;
}

constexpr Hdf5Element kU8 = {'u', 1};
constexpr Hdf5Element kI64 = {'i', 8};

Hdf5Dataset Pixels(const std::string& path, std::uint64_t rows) {
  return Of(path, kU8, {rows, 3, 8, 8});
}
Hdf5Dataset ByteRows(const std::string& path, std::uint64_t rows) {
  return Of(path, kU8, {rows}, Hdf5Row::kSequence);
}
Hdf5Dataset Texts(const std::string& path, std::uint64_t rows) {
  return Of(path, {'S', 1}, {rows}, Hdf5Row::kString);
}
Hdf5Dataset Labels(const std::string& path, std::uint64_t rows) {
  return Of(path, kI64, {rows});
}

std::string Refusal(const std::vector<Hdf5Dataset>& datasets) {
  const Status status = FindContent(datasets).status();
  CHECK(status.code() == Code::kUnsupported);
  return std::string(status.message());
}

std::vector<std::string> FieldsOf(const SampleTable& table) {
  std::vector<std::string> names;
  for (const TableField& field : table.fields) names.push_back(field.name);
  return names;
}

TEST_CASE("Fuel's datasets are images, labels, keys and fields by their names",
          "[hdf5][convention]") {
  const auto content =
      FindContent({ByteRows("encoded_images", 5), Texts("filenames", 5),
                   ByteRows("filenames.bytes", 5),
                   Of("points", {'f', 4}, {5}, Hdf5Row::kSequence),
                   Of("points.present", kU8, {5}),
                   Of("points.shape", {'u', 8}, {5}, Hdf5Row::kSequence),
                   Of("targets", kI64, {5, 1})});
  REQUIRE(content.status().ToString() == "OK");
  CHECK(content->layout == "fuel");
  REQUIRE(content->tables.size() == 1);
  const SampleTable& table = content->tables[0];
  CHECK(table.rows == 5);
  CHECK_FALSE(table.whole);
  CHECK(table.labels == 6);
  CHECK(table.keys == 1);
  CHECK(table.whole_keys == 2);
  CHECK(FieldsOf(table) == std::vector<std::string>{"image", "points"});
  CHECK(table.fields[1].payload == 3);
  CHECK(table.fields[1].present == 4);
  CHECK(table.fields[1].shapes == 5);
}

TEST_CASE("Images that are arrays are BigGAN's or Caffe's by their name",
          "[hdf5][convention]") {
  Hdf5Dataset images = Pixels("imgs", 7);
  images.storage = Hdf5Storage::kChunked;
  images.chunk = {500, 3, 8, 8};
  const auto array = FindContent({images, Labels("labels", 7)});
  REQUIRE(array.ok());
  CHECK(array->layout == "array");
  CHECK(array->chunk_rows == 500);
  const auto caffe = FindContent({Pixels("data", 7), Labels("label", 7)});
  REQUIRE(caffe.ok());
  CHECK(caffe->layout == "caffe");
  CHECK(caffe->chunk_rows == 0);
}

TEST_CASE("Where several names could be the images or labels the first counts",
          "[hdf5][convention]") {
  const auto content =
      FindContent({Pixels("data", 4), Pixels("imgs", 4), Labels("label", 4),
                   Labels("labels", 4), Labels("target", 4)});
  REQUIRE(content.ok());
  const SampleTable& table = content->tables[0];
  CHECK(table.labels == 3);
  CHECK(FieldsOf(table) ==
        std::vector<std::string>{"data", "image", "label", "target"});
  CHECK(table.fields[1].payload == 1);
  // Two that both end as the field "image".
  CHECK_THAT(Refusal({Pixels("imgs", 4), Pixels("image", 4)}),
             Catch::Contains("\"image\" and \"imgs\" could both be the "
                             "field \"image\""));
}

TEST_CASE(
    "Datasets with another number of rows are no samples' and passed over",
    "[hdf5][convention]") {
  const auto content =
      FindContent({Pixels("imgs", 4), Labels("mean", 3), Labels("scalar", 4),
                   Of("nothing", kI64, {}), Of("odd", {'O', 8}, {9})});
  REQUIRE(content.status().ToString() == "OK");
  CHECK(FieldsOf(content->tables[0]) ==
        std::vector<std::string>{"image", "scalar"});
}

TEST_CASE("Labels and keys of another number of rows are refused by name",
          "[hdf5][convention]") {
  CHECK_THAT(Refusal({Pixels("imgs", 4), Labels("labels", 3)}),
             Catch::Contains("\"labels\" has 3 rows where the images have 4"));
  CHECK_THAT(Refusal({Pixels("imgs", 4), Of("labels", kI64, {})}),
             Catch::Contains("\"labels\" has 0 rows"));
  CHECK_THAT(Refusal({Pixels("imgs", 4), Texts("filenames", 5)}),
             Catch::Contains("\"filenames\" has 5 rows"));
  CHECK_THAT(Refusal({Pixels("imgs", 4), Texts("filenames", 4),
                      ByteRows("filenames.bytes", 2)}),
             Catch::Contains("\"filenames.bytes\" has 2 rows"));
}

TEST_CASE("Datasets of kinds that cannot be read are refused by name and kind",
          "[hdf5][convention]") {
  const auto refused = [](const Hdf5Dataset& dataset) {
    const std::string said = Refusal({Pixels("imgs", 4), dataset});
    CHECK_THAT(said, Catch::Contains("\"" + dataset.path() + "\""));
    return said;
  };
  CHECK_THAT(refused(Of("boxes", {'O', 24}, {4})),
             Catch::Contains("of the kind compound"));
  refused(Of("labels", {'S', 8}, {4}));
  refused(Of("labels", kI64, {4}, Hdf5Row::kSequence));
  refused(Of("filenames", kI64, {4}));
  // Several texts, or several rows of variable length, for one sample.
  refused(Of("words", {'S', 1}, {4, 2}, Hdf5Row::kString));
  refused(Of("words", {'S', 9}, {4, 2}));
  refused(Of("filenames", {'S', 1}, {4, 3}, Hdf5Row::kString));
  CHECK(FindContent({Pixels("imgs", 4), Of("words", {'S', 9}, {4, 1})}).ok());
  CHECK_THAT(Refusal({Texts("images", 4)}), Catch::Contains("\"images\""));
  CHECK_THAT(Refusal({Of("images", kI64, {})}), Catch::Contains("\"images\""));
}

TEST_CASE("Companions of a field must be of the kind that FuelWriter writes",
          "[hdf5][convention]") {
  const Hdf5Dataset points = Of("points", {'f', 4}, {4}, Hdf5Row::kSequence);
  const auto with = [&](Hdf5Dataset companion) {
    return FindContent({Pixels("imgs", 4), points, std::move(companion)})
        .status();
  };
  CHECK(with(Of("points.shape", {'u', 8}, {4}, Hdf5Row::kSequence)).ok());
  CHECK(with(Of("points.present", kU8, {4})).ok());
  const Hdf5Dataset bad[] = {
      Of("points.shape", {'u', 4}, {4}, Hdf5Row::kSequence),
      Of("points.shape", {'u', 8}, {4}),
      Of("points.shape", {'u', 8}, {3}, Hdf5Row::kSequence),
      Of("points.shape", {'u', 8}, {4, 1}, Hdf5Row::kSequence),
      Of("points.present", kI64, {4}),
      Of("points.present", kU8, {4, 2}),
      Of("points.present", kU8, {5}),
      Of("points.present", kU8, {4}, Hdf5Row::kSequence)};
  for (const Hdf5Dataset& companion : bad) {
    const Status status = with(companion);
    CHECK(status.code() == Code::kUnsupported);
    CHECK_THAT(status.message(), Catch::Contains("\"points."));
  }
  // Without the field it would belong to, it is one itself.
  const auto alone =
      FindContent({Pixels("imgs", 4), Of("lines.shape", kI64, {4})});
  REQUIRE(alone.ok());
  CHECK(FieldsOf(alone->tables[0]) ==
        std::vector<std::string>{"image", "lines.shape"});
}

TEST_CASE("Groups of one dataset of bytes per class are numbered by name",
          "[hdf5][convention]") {
  const auto content =
      FindContent({ByteRows("train/n02", 3), ByteRows("train/n01", 2),
                   ByteRows("val/n02", 1)});
  REQUIRE(content.status().ToString() == "OK");
  REQUIRE(content->tables.size() == 3);
  CHECK(content->tables[0].class_name == "n02");
  CHECK(content->tables[0].class_label == 1);
  CHECK(content->tables[0].rows == 3);
  CHECK(content->tables[1].class_label == 0);
  // A class has one number in all groups.
  CHECK(content->tables[2].class_label == 1);
}

TEST_CASE("Groups that are an image each come in the order of their numbers",
          "[hdf5][convention]") {
  const auto content = FindContent(
      {Of("train/10/data", kU8, {8, 8, 3}), Of("train/10/target", kI64, {}),
       Of("train/9/data", kU8, {4, 4, 3}), Of("train/9/target", kI64, {}),
       Of("train/last/data", kU8, {2, 2})});
  REQUIRE(content.status().ToString() == "OK");
  REQUIRE(content->tables.size() == 3);
  CHECK(content->tables[0].fields[0].payload == 2);
  CHECK(content->tables[0].labels == 3);
  CHECK(content->tables[1].fields[0].payload == 0);
  CHECK(content->tables[2].fields[0].payload == 4);
  CHECK_FALSE(content->tables[2].labels);
  for (const SampleTable& table : content->tables) {
    CHECK(table.whole);
    CHECK(table.rows == 1);
  }
}

TEST_CASE("A file without images is refused with what was looked for",
          "[hdf5][convention]") {
  const std::vector<Hdf5Dataset> none[] = {
      {},
      {Labels("labels", 4)},
      {Of("train/1/target", kI64, {})},
      {Of("train/1/data", kU8, {4}), Of("train/1/weight", kI64, {})},
      {ByteRows("train/n01", 3), Labels("train/n02", 3)}};
  for (const auto& datasets : none) {
    CHECK_THAT(Refusal(datasets), Catch::Contains("encoded_images"));
  }
}

}  // namespace
}  // namespace shardine::hdf5_convention_test
