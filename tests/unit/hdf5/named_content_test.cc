#include "hdf5/named_content.h"

#include "unit/hdf5/library_file.h"
#include "unit/hdf5/scanned_rows.h"

namespace shardine::named_content_test {
namespace {

std::vector<ScannedRow> Scan(const LibraryFile& file, const FieldRoles& roles,
                             Status& status) {
  MemoryStorage storage;
  storage.Put("x.h5", file.Bytes());
  const auto opened = storage.Open("x.h5");
  REQUIRE(opened.ok());
  return ScanRows(**opened, status, SandboxPool::Global(), roles);
}

FieldRoles Roles(const std::string& image, const std::string& label = "") {
  FieldRoles roles;
  roles.image = image;
  roles.label = label;
  return roles;
}

FieldRoles WithFields(FieldRoles roles, std::vector<std::string> fields) {
  roles.fields = std::move(fields);
  return roles;
}

// "name=bytes" of each field, after the key.
std::string TextOf(const ScannedRow& row) {
  std::string text = row.key.value_or("-");
  for (const auto& field : row.fields) {
    text += " " + field.name + "=" + field.bytes;
  }
  return text;
}

TEST_CASE("A dataset is named by its path, and its group has the fields",
          "[hdf5][roles]") {
  LibraryFile file;
  file.Put("train/photos", H5T_STD_U8LE, {2, 2}, "abcd");
  file.Put("train/kind", H5T_STD_U8LE, {2}, "xy");
  file.Put("train/mean", H5T_STD_U8LE, {3}, "mmm");
  file.Put("other/names", H5T_STD_U8LE, {2}, "no");
  Status status;
  const auto rows = Scan(file, Roles("train/photos", "other/names"), status);
  REQUIRE(status.ToString() == "OK");
  REQUIRE(rows.size() == 2);
  CHECK(TextOf(rows[0]) == "- kind=x other/names=n train/photos=ab");
  CHECK(TextOf(rows[1]) == "- kind=y other/names=o train/photos=cd");
  CHECK(rows[0].labels.empty());
}

TEST_CASE("A dataset that is in many groups makes each of them a sample",
          "[hdf5][roles]") {
  LibraryFile file;
  file.Put("10/rgb", H5T_STD_U8LE, {2, 1, 3}, "abcdef");
  file.PutTexts("10/kind", {"cat"}, {});
  file.Put("9/rgb", H5T_STD_U8LE, {4}, "jpeg");
  file.Put("notes/x", H5T_STD_U8LE, {1}, "n");
  Status status;
  const auto rows = Scan(file, Roles("rgb", "kind"), status);
  REQUIRE(status.ToString() == "OK");
  REQUIRE(rows.size() == 2);
  CHECK(TextOf(rows[0]) == "9 rgb=jpeg");
  CHECK(rows[0].fields[0].dtype == "|S");
  CHECK(TextOf(rows[1]) == "10 kind=cat rgb=abcdef");
  CHECK(rows[1].fields[1].shape == std::vector<std::uint64_t>{2, 1, 3});
}

TEST_CASE("Fields that are not asked for need not be readable",
          "[hdf5][roles]") {
  LibraryFile file;
  file.Put("photos", H5T_STD_U8LE, {2, 2}, "abcd");
  file.Put("odd", H5T_IEEE_F32LE, {2, 1}, std::string(8, '\0'));
  file.PutTexts("words", {"a", "b", "c", "d"}, {2, 2});
  Status status;
  Scan(file, Roles("photos"), status);
  CHECK(status.code() == Code::kUnsupported);
  const auto rows = Scan(file, WithFields(Roles("photos"), {}), status);
  REQUIRE(status.ToString() == "OK");
  CHECK(TextOf(rows[1]) == "- photos=cd");
}

TEST_CASE("A dataset that is missing is refused with those that there are",
          "[hdf5][roles]") {
  LibraryFile file;
  file.Put("photos", H5T_STD_U8LE, {2, 2}, "abcd");
  file.Put("y", H5T_STD_U8LE, {3}, "abc");
  Status status;
  for (const FieldRoles& roles : {Roles("pictures"), Roles("photos", "kind"),
                                  WithFields(Roles("photos"), {"pictures"})}) {
    Scan(file, roles, status);
    CHECK(status.code() == Code::kInvalidArgument);
    CHECK(status.message().find("; the datasets are \"photos\" (2 rows), \"y\" "
                                "(3 rows)") != std::string::npos);
  }
  Scan(file, Roles("photos", "y"), status);
  CHECK(status.message() ==
        "the dataset \"y\" has 3 rows where the images have 2");
}

}  // namespace
}  // namespace shardine::named_content_test
