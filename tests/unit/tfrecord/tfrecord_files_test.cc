// The checked-in files: golden ones that TensorFlow wrote, and damaged ones.
#include "io/local_storage.h"
#include "support/expected_files.h"
#include "unit/tfrecord/tfrecord_bytes.h"

namespace shardine {
namespace {

template <typename T>
std::string Joined(const std::vector<T>& values) {
  std::string text;
  for (const T& value : values) {
    if (!text.empty()) text += ' ';
    if constexpr (std::is_same_v<T, Label>) {
      text += value.ToString();
    } else {
      text += std::to_string(value);
    }
  }
  return text;
}

FormatAndLayout LayoutOfFile(const std::string& path) {
  static constexpr const Format* kFormats[] = {&kTfRecordFormat};
  const auto file = LocalStorage().Open(path);
  REQUIRE(file.ok());
  auto layout = FormatRegistry(kFormats).DetectLayout(**file);
  REQUIRE(layout.ok());
  return *std::move(layout);
}

TEST_CASE("TfRecordScanner reads every field of TensorFlow's golden files",
          "[tfrecord][golden]") {
  const std::string folder = kTestdata + "/golden/tfrecord/";
  std::vector<std::vector<std::string>> found;
  for (const std::string name :
       {"imagenet.tfrecord", "imagenet.tfrecord.gz", "imagenet.tfrecord.zlib",
        "tfds.tfrecord", "other.tfrecord"}) {
    const FormatAndLayout layout = LayoutOfFile(folder + name);
    CHECK(layout.layout->name ==
          (name == "tfds.tfrecord" ? "tfds" : "imagenet"));
    const std::string file = Contents(folder + name);
    const FoundSamples scan = ScanBytes(file, layout.Name());
    CHECK(scan.status.ToString() == "OK");
    for (std::size_t i = 0; i < scan.samples.size(); ++i) {
      const FoundSample& sample = scan.samples[i];
      CHECK_FALSE(sample.id);
      const std::string number = std::to_string(i);
      found.push_back({name, number, sample.key.value_or("-"),
                       Joined(sample.labels), sample.class_name,
                       sample.class_text});
      for (const auto& [field, value] : sample.fields) {
        found.push_back({name, number, field, value.dtype, Joined(value.shape),
                         ToHex(value.bytes), "field"});
        const bool plain = !name.ends_with("z") && !name.ends_with("b");
        const bool streamed = plain && value.dtype != "<i8";
        CHECK(value.extents.empty() == !(streamed || value.bytes.empty()));
        if (!streamed) continue;
        CHECK(JoinExtents(file, value.extents) == value.bytes);
      }
    }
  }
  CHECK(found == ExpectedRows(folder));
}

TEST_CASE("Every damaged TFRecord file gives its listed error",
          "[tfrecord][corruption]") {
  const std::string folder = kTestdata + "/must_fail/tfrecord/";
  for (const auto& row : ExpectedRows(folder)) {
    REQUIRE(row.size() == 5);
    INFO(row[0]);
    const FoundSamples scan = ScanBytes(Contents(folder + row[0]),
                                        LayoutOfFile(folder + row[0]).Name());
    CHECK(scan.samples.size() == std::stoull(row[2]));
    CHECK(scan.status.code() == CodeNamed(row[1]));
    CHECK(scan.status.where().path == "x.tfrecord");
    CHECK(scan.status.where().record == std::stoull(row[2]));
    CHECK(scan.status.where().offset == NumberIn(row[3]));
    CHECK_THAT(scan.status.message(), Catch::Contains(row[4]));
  }
}

TEST_CASE("Every TFRecord file that is checked in is listed",
          "[tfrecord][corruption]") {
  CheckAllListed(kTestdata + "/must_fail/tfrecord", {".tfrecord"});
  CheckAllListed(kTestdata + "/golden/tfrecord", {".tfrecord"});
}

}  // namespace
}  // namespace shardine
