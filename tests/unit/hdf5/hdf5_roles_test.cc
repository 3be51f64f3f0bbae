// Roles of the datasets of a file, whatever else there is: no order, no name
// and no size makes one of them vanish.
#include <algorithm>
#include <map>

#include "hdf5/hdf5_convention.h"
#include "support/draws.h"
#include "unit/hdf5/library_file.h"
#include "unit/hdf5/scanned_rows.h"

namespace shardine::hdf5_roles_test {
namespace {

using Datasets = std::vector<Hdf5Dataset>;

Hdf5Dataset Of(const std::string& name, Hdf5Element element,
               std::vector<std::uint64_t> dims, Hdf5Row row = Hdf5Row::kFixed) {
  Hdf5Dataset dataset;
  dataset.name = name;
  dataset.element = element;
  dataset.dims = std::move(dims);
  dataset.row = row;
  return dataset;
}

constexpr Hdf5Element kU8 = {'u', 1};
constexpr Hdf5Element kU64 = {'u', 8};
constexpr Hdf5Element kI64 = {'i', 8};

Hdf5Dataset Bytes(const std::string& name, std::uint64_t rows = 4) {
  return Of(name, kU8, {rows}, Hdf5Row::kSequence);
}
Hdf5Dataset Numbers(const std::string& name, std::uint64_t rows = 4) {
  return Of(name, kI64, {rows});
}
Hdf5Dataset Shapes(const std::string& name, std::uint64_t rows = 4) {
  return Of(name, kU64, {rows}, Hdf5Row::kSequence);
}

// The role of each dataset, by its name; datasets without one are left out.
std::map<std::string, std::string> RolesOf(const Datasets& datasets) {
  const auto content = FindContent(datasets);
  REQUIRE(content.status().ToString() == "OK");
  std::map<std::string, std::string> roles;
  const auto give = [&](std::optional<std::size_t> number,
                        const std::string& role) {
    if (!number) return;
    INFO(datasets[*number].name);
    CHECK(roles.emplace(datasets[*number].name, role).second);
  };
  REQUIRE(content->tables.size() == 1);
  const SampleTable& table = content->tables[0];
  for (const TableField& field : table.fields) {
    give(field.payload, "field " + field.name);
    give(field.shapes, "shapes of " + field.name);
    give(field.present, "flags of " + field.name);
  }
  give(table.labels, "labels");
  give(table.keys, "keys");
  give(table.whole_keys, "whole keys");
  return roles;
}

Status Refusal(const Datasets& datasets) {
  const Status status = FindContent(datasets).status();
  CHECK(status.code() == Code::kUnsupported);
  return status;
}

TEST_CASE("A dataset has the same role wherever it is listed",
          "[hdf5][convention]") {
  Datasets datasets = {
      Bytes("encoded_images"), Of("encoded_images.present", kU8, {4}),
      Numbers("targets"),      Numbers("label"),
      Bytes("filenames"),      Bytes("filenames.bytes"),
      Bytes("images"),         Bytes("points"),
      Shapes("points.shape"),  Of("points.present", kU8, {4}),
      Numbers("other", 7),     Bytes("a%2Fb")};
  const std::map<std::string, std::string> expected = {
      {"encoded_images", "field image"},
      {"encoded_images.present", "flags of image"},
      {"targets", "labels"},
      {"label", "field label"},
      {"filenames", "keys"},
      {"filenames.bytes", "whole keys"},
      {"images", "field images"},
      {"points", "field points"},
      {"points.shape", "shapes of points"},
      {"points.present", "flags of points"},
      {"a%2Fb", "field a/b"}};
  Draws draws(50);
  for (int turn = 0; turn < 50; ++turn) {
    for (std::size_t i = datasets.size() - 1; i > 0; --i) {
      std::swap(datasets[i],
                datasets[draws.Below(static_cast<std::uint32_t>(i) + 1)]);
    }
    REQUIRE(RolesOf(datasets) == expected);
  }
}

TEST_CASE("Each name of images and labels is one where it is alone",
          "[hdf5][convention]") {
  const std::string images[] = {"encoded_images", "image_bytes", "imgs",
                                "images",         "image",       "data"};
  const std::string labels[] = {"targets", "labels", "label", "target"};
  for (const std::string& image : images) {
    for (const std::string& label : labels) {
      const auto roles = RolesOf({Bytes(image), Numbers(label)});
      CHECK(roles.at(image) == "field image");
      CHECK(roles.at(label) == "labels");
    }
  }
  // The first of two, in the order of FORMAT.md.
  for (std::size_t i = 0; i < 6; ++i) {
    for (std::size_t j = i + 1; j < 6; ++j) {
      // "image" is the name of the images' field, and no other's.
      if (images[j] == "image") continue;
      const auto roles = RolesOf({Bytes(images[j]), Bytes(images[i])});
      CHECK(roles.at(images[i]) == "field image");
      CHECK(roles.at(images[j]) == "field " + images[j]);
    }
  }
  for (std::size_t i = 0; i < 4; ++i) {
    for (std::size_t j = i + 1; j < 4; ++j) {
      const auto roles =
          RolesOf({Bytes("images"), Numbers(labels[j]), Numbers(labels[i])});
      CHECK(roles.at(labels[i]) == "labels");
      CHECK(roles.at(labels[j]) == "field " + labels[j]);
    }
  }
}

// Left out, samples would lose their labels or names without a word.
TEST_CASE("Nothing but fields of another number of rows is passed over",
          "[hdf5][convention]") {
  const Datasets fine = {Bytes("images"), Bytes("points")};
  const auto with = [&](Hdf5Dataset dataset) {
    Datasets datasets = fine;
    datasets.push_back(std::move(dataset));
    return datasets;
  };
  CHECK(RolesOf(with(Numbers("mean", 3))).size() == 2);
  CHECK(RolesOf(with(Bytes("mean.shape", 3))).size() == 2);
  for (const Hdf5Dataset& dataset :
       {Numbers("labels", 3), Numbers("targets", 0), Of("label", kI64, {}),
        Bytes("filenames", 5), Shapes("points.shape", 3),
        Of("points.present", kU8, {5})}) {
    const Status status = Refusal(with(dataset));
    INFO(status.ToString());
    CHECK_THAT(status.message(),
               Catch::Contains("\"" + dataset.name + "\" has") &&
                   Catch::Contains("rows where the images have 4"));
  }
  // The first name counts, also where another would fit.
  CHECK_THAT(
      Refusal({Bytes("images"), Numbers("targets", 10), Numbers("labels", 4)})
          .message(),
      Catch::Contains("\"targets\" has 10 rows"));
}

TEST_CASE("What goes with no field is one itself, whatever it is called",
          "[hdf5][convention]") {
  // Beside datasets that are no field, or of another number of rows, or of
  // fixed size.
  const Datasets datasets = {
      Bytes("images"),          Numbers("labels"),
      Shapes("labels.shape"),   Of("labels.present", kU8, {4}),
      Bytes("labels.bytes"),    Bytes("filenames"),
      Bytes("filenames.bytes"), Shapes("filenames.shape"),
      Numbers("mean", 3),       Shapes("mean.shape"),
      Numbers("box"),           Numbers("box.shape"),
      Bytes("points"),          Bytes("points.bytes"),
      Shapes("points.shape"),   Of("points.shape.present", kU8, {4}),
      Shapes("none.shape"),     Of(".present", kU8, {4})};
  const auto roles = RolesOf(datasets);
  CHECK(roles.size() == datasets.size() - 1);
  CHECK(roles.at("points.shape") == "shapes of points");
  CHECK(roles.at("filenames.bytes") == "whole keys");
  for (const char* name :
       {"labels.shape", "labels.present", "labels.bytes", "filenames.shape",
        "mean.shape", "box.shape", "points.bytes", "points.shape.present",
        "none.shape", ".present"}) {
    INFO(name);
    CHECK(roles.at(name) == std::string("field ") + name);
  }
}

TEST_CASE("Datasets that would both be one field are refused by their names",
          "[hdf5][convention]") {
  CHECK_THAT(
      Refusal({Bytes("imgs"), Numbers("a%"), Numbers("a%25")}).message(),
      Catch::Contains("\"a%\" and \"a%25\" could both be the field \"a%\""));
  CHECK_THAT(Refusal({Bytes("image"), Bytes("encoded_images")}).message(),
             Catch::Contains("\"encoded_images\" and \"image\" could both be"));
}

TEST_CASE("Labels may be numbers of any type, and keys texts of any kind",
          "[hdf5][convention]") {
  const Datasets images = {Bytes("images")};
  const auto is_fine = [&](Hdf5Dataset dataset) {
    Datasets datasets = images;
    datasets.push_back(std::move(dataset));
    const Status status = FindContent(datasets).status();
    if (!status.ok()) CHECK(status.code() == Code::kUnsupported);
    return status.ok();
  };
  for (const char kind : {'i', 'u', 'f', 'b'}) {
    const std::uint32_t size = kind == 'b' ? 1 : 8;
    CHECK(is_fine(Of("labels", {kind, size}, {4})));
    CHECK(is_fine(Of("labels", {kind, size}, {4, 1})));
    CHECK(is_fine(Of("labels", {kind, size}, {4, 5, 2})));
    CHECK_FALSE(is_fine(Of("filenames", {kind, size}, {4})));
  }
  CHECK_FALSE(is_fine(Of("labels", {'S', 8}, {4})));
  CHECK_FALSE(is_fine(Of("labels", {'O', 8}, {4})));
  CHECK_FALSE(is_fine(Of("labels", kI64, {4}, Hdf5Row::kSequence)));
  CHECK_FALSE(is_fine(Of("labels", kU8, {4}, Hdf5Row::kString)));
  CHECK(is_fine(Of("filenames", {'S', 8}, {4})));
  CHECK(is_fine(Of("filenames", {'S', 8}, {4, 1})));
  CHECK_FALSE(is_fine(Of("filenames", {'S', 8}, {4, 2})));
  CHECK(is_fine(Of("filenames", kU8, {4}, Hdf5Row::kString)));
  CHECK(is_fine(Of("filenames", kU8, {4, 1}, Hdf5Row::kString)));
  CHECK_FALSE(is_fine(Of("filenames", kU8, {4, 2}, Hdf5Row::kString)));
  CHECK(is_fine(Of("filenames", kU8, {4}, Hdf5Row::kSequence)));
  CHECK_FALSE(is_fine(Of("filenames", {'u', 2}, {4}, Hdf5Row::kSequence)));
  CHECK_FALSE(is_fine(Of("filenames", {'O', 8}, {4})));
}

TEST_CASE("A field that is named as if it were a shape is read from its file",
          "[hdf5][convention]") {
  LibraryFile file;
  file.Put("imgs", H5T_STD_U8LE, {2, 1, 1, 1}, "xy");
  file.Put("labels", H5T_STD_U8LE, {2}, "\1\2");
  file.PutRows("labels.bytes", H5T_STD_U8LE, {"cat", "dog"});
  file.PutRows("imgs.shape", H5T_STD_U64LE,
               {Packed<std::uint64_t>({480, 640}), ""});
  MemoryStorage storage;
  storage.Put("x.h5", file.Bytes());
  Status status;
  const auto rows = ScanRows(storage, "x.h5", status);
  REQUIRE(status.ToString() == "OK");
  REQUIRE(rows.size() == 2);
  REQUIRE(rows[0].fields.size() == 3);
  CHECK(rows[0].fields[0].name == "image");
  CHECK(rows[0].fields[1].name == "imgs.shape");
  CHECK(rows[0].fields[1].bytes == Packed<std::uint64_t>({480, 640}));
  CHECK(rows[0].fields[2].name == "labels.bytes");
  CHECK(rows[1].fields[2].bytes == "dog");
}

// Field report B10: masks became 307,200 labels for each sample.
TEST_CASE("Pictures that are called labels are a field", "[hdf5][convention]") {
  auto roles = RolesOf(
      {Of("images", kU8, {4, 3, 480, 640}), Of("labels", kU8, {4, 480, 640})});
  CHECK(roles["labels"] == "field labels");
  roles = RolesOf({Of("images", kU8, {4, 3, 8, 8}), Of("labels", kU8, {4, 5})});
  CHECK(roles["labels"] == "labels");
  using Dims = std::vector<std::uint64_t>;
  for (const Dims& images :
       {Dims{4, 3, 48, 64}, Dims{4, 48, 64, 3}, Dims{4, 48, 64}}) {
    roles = RolesOf({Of("images", kU8, images), Of("labels", kU8, {4, 3072})});
    CHECK(roles["labels"] == "field labels");
    roles = RolesOf({Of("images", kU8, images), Of("labels", kU8, {4, 3073})});
    CHECK(roles["labels"] == "labels");
  }
  // Four classes, one of them hot.
  roles = RolesOf({Of("images", kU8, {4, 2, 2}), Of("labels", kU8, {4, 4})});
  CHECK(roles["labels"] == "labels");
  // Caffe writes axes of 1.
  roles =
      RolesOf({Of("data", kU8, {4, 3, 8, 8}), Of("label", kU8, {4, 1, 1, 1})});
  CHECK(roles["label"] == "labels");
}

}  // namespace
}  // namespace shardine::hdf5_roles_test
