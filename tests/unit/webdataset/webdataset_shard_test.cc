// Writing and scanning together, where the conformance suite does not look.
#include <limits>

#include "unit/webdataset/tar_bytes.h"
#include "webdataset/image_extension.h"
#include "webdataset/sample_json.h"
#include "webdataset/sample_members.h"
#include "webdataset/webdataset_format.h"
#include "webdataset/webdataset_writer.h"

namespace shardine::webdataset_shard_test {
namespace {

using Catch::Contains;

constexpr std::uint64_t kShape[] = {2, 1};

FieldView Bytes(std::string_view name, std::string_view bytes) {
  return {
      .name = name, .dtype = kBytesDtype, .shape = {}, .bytes = AsBytes(bytes)};
}

FieldView Array(std::string_view name, std::string_view dtype,
                std::string_view bytes) {
  return {
      .name = name, .dtype = dtype, .shape = kShape, .bytes = AsBytes(bytes)};
}

class Shard {
 public:
  explicit Shard(std::string_view keys = kIdKeys) {
    LayoutChoice layout = DefaultsOf(kWebDatasetFormat.layouts.front());
    layout.values.front() = keys;
    auto writer = CreateWebDatasetWriter(
        storage_, {.shard = "x.tar", .companion = "x.idx"}, layout);
    REQUIRE(writer.ok());
    writer_ = *std::move(writer);
  }
  Status Append(std::uint64_t id, std::string_view key,
                const std::vector<Label>& labels,
                const std::vector<FieldView>& fields) {
    return writer_->Append(
        {.id = id, .key = key, .labels = labels, .fields = fields});
  }
  // The bytes of the shard; then of its index.
  std::string Finish() {
    const auto summary = writer_->Finish();
    REQUIRE(summary.ok());
    std::string shard = *storage_.Get("x.tar");
    CHECK(summary->bytes == shard.size());
    return shard;
  }
  std::string index() const { return *storage_.Get("x.idx"); }

 private:
  MemoryStorage storage_;
  std::unique_ptr<ShardWriter> writer_;
};

// The names in an archive, in its order.
std::vector<std::string> NamesIn(const std::string& index) {
  std::vector<std::string> names;
  std::size_t begin = index.find('\n') + 1;
  std::vector<std::string> words;
  for (std::size_t end; begin < index.size(); begin = end + 1) {
    end = index.find_first_of(" \n", begin);
    words.push_back(index.substr(begin, end - begin));
    if (words.size() % 4 == 0) names.push_back(words.back());
  }
  return names;
}

TEST_CASE("WebDatasetWriter puts a sample's files in a fixed order",
          "[webdataset][writer]") {
  Shard shard;
  REQUIRE(shard
              .Append(7, "k", {Label(3)},
                      {Array("a", "<f8", "1234567812345678"), Bytes("b", "x"),
                       Bytes("image", "\xff\xd8\xff\xe0"), Bytes("z.Z", "")})
              .ok());
  REQUIRE(shard.Append(8, "l", {}, {Array("image", "|u1", "12")}).ok());
  REQUIRE(shard.Append(9, "m", {Label::FromReal(0.5)}, {}).ok());
  const std::string file = shard.Finish();
  CHECK(NamesIn(shard.index()) ==
        std::vector<std::string>{
            "00000007.jpg", "00000007.cls", "00000007.json", "00000007.a.npy",
            "00000007.b", "00000007.z%2e%5a.bin", "00000008.image.npy",
            "00000008.json", "00000009.json"});
  CHECK(file.ends_with(kTarEnd));
  const Found found = ScanTar(file);
  REQUIRE(found.status.ToString() == "OK");
  REQUIRE(found.samples.size() == 3);
  CHECK(found.samples[0].fields.at("z.Z").bytes.empty());
  CHECK(found.samples[1].fields.at("image").dtype == "|u1");
  CHECK(found.samples[1].fields.at("image").shape ==
        std::vector<std::uint64_t>{2, 1});
  CHECK(found.samples[2].fields.empty());
  CHECK(found.samples[2].labels == std::vector<Label>{Label::FromReal(0.5)});
}

TEST_CASE("WebDatasetWriter leaves fields the extensions that they come from",
          "[webdataset][writer]") {
  Shard shard;
  const std::vector<FieldView> fields = {Bytes("image", "\xff\xd8\xff\xe0"),
                                         Bytes("cls", "not a number"),
                                         Bytes("jpg", "is taken"),
                                         Bytes("json", "{\"caption\":1}"),
                                         Bytes("npy", "no array"),
                                         Bytes("png", "a mask"),
                                         Bytes("seg.png", "another"),
                                         Bytes("txt", "a caption"),
                                         Bytes("x.bin", "b"),
                                         Bytes("x.npy", "n"),
                                         Array("depth.0", "<u1", "12")};
  std::vector<FieldView> arranged = fields;
  arranged.back().dtype = "|u1";
  REQUIRE(shard.Append(7, "k", {}, arranged).ok());
  const std::string file = shard.Finish();
  CHECK(NamesIn(shard.index()) ==
        std::vector<std::string>{
            "00000007.jpg", "00000007.shardine.json", "00000007.cls",
            "00000007.jpg.bin", "00000007.json", "00000007.npy.bin",
            "00000007.png", "00000007.seg.png", "00000007.txt",
            "00000007.x%2ebin.bin", "00000007.x%2enpy.bin",
            "00000007.depth.0.npy"});
  const Found found = ScanTar(file);
  REQUIRE(found.status.ToString() == "OK");
  REQUIRE(found.samples.size() == 1);
  CHECK(found.samples[0].fields.size() == arranged.size());
  for (const FieldView& field : arranged) {
    INFO(field.name);
    const auto& read = found.samples[0].fields.at(std::string(field.name));
    CHECK(read.bytes == AsText(field.bytes));
    CHECK(read.dtype == field.dtype);
  }
}

TEST_CASE(
    "WebDatasetWriter gives no field the extension of an image without "
    "an image",
    "[webdataset][writer]") {
  Shard shard;
  REQUIRE(shard.Append(7, "k", {}, {Bytes("png", "a mask")}).ok());
  REQUIRE(shard
              .Append(8, "l", {},
                      {Array("image", "|u1", "12"), Bytes("png", "a mask")})
              .ok());
  const Found found = ScanTar(shard.Finish());
  REQUIRE(found.status.ToString() == "OK");
  CHECK(found.samples.at(0).fields.at("png").bytes == "a mask");
  CHECK(found.samples.at(1).fields.at("png").bytes == "a mask");
  CHECK(found.samples.at(1).fields.at("image").dtype == "|u1");
}

TEST_CASE("WebDatasetWriter names files by keys where that is asked",
          "[webdataset][writer]") {
  Shard shard(kOriginalKeys);
  const FieldView image = Bytes("image", "\xff\xd8\xff\xe0");
  REQUIRE(shard.Append(7, "n01/a.JPEG", {Label(3)}, {image}).ok());
  REQUIRE(shard.Append(8, "n01/b.x.y", {}, {image}).ok());
  REQUIRE(shard.Append(1, "00000012", {}, {Bytes("txt", "t")}).ok());
  const std::string file = shard.Finish();
  CHECK(NamesIn(shard.index()) ==
        std::vector<std::string>{"n01/a.JPEG", "n01/a.cls", "n01/a.json",
                                 "n01/b.jpg", "n01/b.json", "00000012.json",
                                 "00000012.txt"});
  const Found found = ScanTar(file);
  REQUIRE(found.status.ToString() == "OK");
  REQUIRE(found.samples.size() == 3);
  CHECK(found.samples[0].id == 7);
  CHECK(found.samples[0].key == "n01/a.JPEG");
  CHECK(found.samples[1].key == "n01/b.x.y");
  CHECK(found.samples[2].id == 1);  // not the number that the name is
}

TEST_CASE("WebDatasetWriter refuses keys that cannot name files",
          "[webdataset][writer]") {
  for (const std::string& key :
       {std::string(), std::string(".hidden"), std::string("__a__/b.jpg"),
        std::string("/etc/passwd"), std::string("../a.jpg"),
        std::string("a/../b.jpg"), std::string("a\0b", 3),
        std::string("n01/a.png")}) {
    INFO(key);
    Shard shard(kOriginalKeys);
    REQUIRE(shard.Append(1, "n01/a.jpg", {}, {}).ok());
    const Status status = shard.Append(2, key, {}, {});
    CHECK(status.code() == Code::kUnsupported);
    CHECK(status.where().key == key);
    // A plan says the same before a shard is written.
    const std::string_view keys[] = {"n01/a.jpg", key};
    LayoutChoice layout = DefaultsOf(kWebDatasetFormat.layouts.front());
    CHECK(CheckMemberKeys(layout, keys).ok());
    layout.values.front() = kOriginalKeys;
    CHECK(CheckMemberKeys(layout, keys).ToString() == status.ToString());
    CHECK(CheckMemberKeys(layout, std::span(keys).first(1)).ok());
  }
}

TEST_CASE("WebDatasetWriter names images by their first bytes",
          "[webdataset][writer]") {
  using namespace std::string_view_literals;
  CHECK(ImageExtensionFor(AsBytes("\xff\xd8\xff\xe0 JPEG"sv)) == "jpg");
  CHECK(ImageExtensionFor(AsBytes("\x89PNG\r\n\x1a\n and on"sv)) == "png");
  CHECK(ImageExtensionFor(AsBytes("RIFF\1\2\3\4WEBPVP8 "sv)) == "webp");
  CHECK(ImageExtensionFor(AsBytes("GIF89a"sv)) == "gif");
  CHECK(ImageExtensionFor(AsBytes("BM"sv)) == "bmp");
  CHECK(ImageExtensionFor(AsBytes("II*\0"sv)) == "tif");
  CHECK(ImageExtensionFor(AsBytes("MM\0*"sv)) == "tif");
  for (const std::string_view other :
       {""sv, "\xff\xd8"sv, "RIFF\1\2\3\4WAVE"sv, "text"sv}) {
    CHECK(ImageExtensionFor(AsBytes(other)) == "img");
  }
}

TEST_CASE("WebDatasetWriter writes headers that say nothing of their writer",
          "[webdataset][writer]") {
  Shard shard;
  REQUIRE(shard.Append(1, "k", {}, {}).ok());
  const std::string block = shard.Finish().substr(0, 512);
  CHECK(block.substr(100, 24) ==
        std::string("0000644\0000000000\0000000000\0", 24));
  CHECK(block.substr(136, 12) == std::string("00000000000\0", 12));
  CHECK(block.substr(257, 8) == std::string("ustar\000"
                                            "00",
                                            8));
  CHECK(block.substr(265, 64) == std::string(64, '\0'));
}

TEST_CASE("WebDatasetWriter gives long field names a pax header",
          "[webdataset][writer]") {
  Shard shard;
  for (const std::size_t size : {86U, 87U, 88U, 300U, 20'000U}) {
    const std::string name(size, 'n');
    REQUIRE(shard.Append(size, "k", {}, {Bytes(name, "value")}).ok());
  }
  const Found found = ScanTar(shard.Finish());
  REQUIRE(found.status.ToString() == "OK");
  REQUIRE(found.samples.size() == 5);
  for (const TarSample& sample : found.samples) {
    REQUIRE(sample.fields.size() == 1);
    CHECK(sample.fields.begin()->first == std::string(*sample.id, 'n'));
    CHECK(sample.fields.begin()->second.at_extents == "value");
  }
}

TEST_CASE("WebDatasetWriter refuses by key what no reader would give back",
          "[webdataset][writer]") {
  const auto refused = [](std::uint64_t id, const std::string& key,
                          const std::vector<Label>& labels,
                          const std::vector<FieldView>& fields) {
    Shard shard;
    REQUIRE(shard.Append(1, "first", {}, {}).ok());
    const Status status = shard.Append(id, key, labels, fields);
    CHECK(status.code() == Code::kUnsupported);
    CHECK(status.where().key == key);
    // Nothing of it was written, and the shard goes on.
    REQUIRE(shard.Append(3, "last", {}, {}).ok());
    const Found found = ScanTar(shard.Finish());
    CHECK(found.status.ok());
    CHECK(found.samples.size() == 2);
    return status.message();
  };
  CHECK_THAT(refused(1, "k", {}, {}), Contains("twice, which"));
  CHECK_THAT(refused(2, std::string(kMaxJsonKey + 1, 'k'), {}, {}),
             Contains("key"));
  CHECK_THAT(refused(2, "k", std::vector<Label>(kMaxJsonLabels + 1), {}),
             Contains("labels"));
  CHECK_THAT(refused(2, "k", {}, {Array("x", "<f8", "1234567")}),
             Contains("length"));
  for (const char* dtype : {"|O", ">f8", "<u1", "=f8", "object", "", "<f3"}) {
    INFO(dtype);
    CHECK_THAT(refused(2, "k", {}, {Array("x", dtype, "1234567812345678")}),
               Contains("\"x\""));
  }
  CHECK_THAT(refused(2, "k", {}, {Array("x", kBytesDtype, "12")}),
             Contains("no shape"));
  const std::string name(70'000, 'n');
  CHECK_THAT(refused(2, "k", {}, {Bytes(name, "")}), Contains("too long"));
  const std::vector<std::uint64_t> deep(65, 1);
  CHECK_THAT(refused(2, "k", {},
                     {{.name = "x",
                       .dtype = "|u1",
                       .shape = deep,
                       .bytes = AsBytes("1")}}),
             Contains("dimensions"));
}

TEST_CASE("A damaged shard of ours gives the right sample or an error",
          "[webdataset][corruption]") {
  Shard shard;
  REQUIRE(shard.Append(0, "n/a.jpg", {Label(3)}, {Bytes("image", "a")}).ok());
  REQUIRE(shard
              .Append(1, "n/b.jpg", {Label(4)},
                      {Bytes("image", "b"), Array("x", "<u2", "1234")})
              .ok());
  const std::string good = shard.Finish();
  const Found right = ScanTar(good);
  REQUIRE(right.samples.size() == 2);
  std::size_t found = 0;
  std::size_t tried = 0;
  for (std::size_t bit = 0; bit < 8 * good.size(); bit += 5, ++tried) {
    std::string damaged = good;
    damaged[bit / 8] ^= static_cast<char>(1 << bit % 8);
    const Found scanned = ScanTar(damaged);
    REQUIRE(scanned.samples.size() <= 2);
    found += scanned.status.ok() ? 0 : 1;
    for (std::size_t i = 0; i < scanned.samples.size(); ++i) {
      const TarSample& sample = scanned.samples[i];
      INFO("bit " << bit << " sample " << i);
      // A payload's bits are its own; the sidecar knows better.
      REQUIRE(sample.id == right.samples[i].id);
      REQUIRE(sample.fields.contains("image"));
    }
  }
  // All but those of the payloads, the marks of .json, and one blank a header.
  CHECK(found > tried * 97 / 100);
}

// Field report B11: tar would unpack one file for both.
TEST_CASE("Keys that share a stem are refused wherever they stand in a shard",
          "[webdataset][writer]") {
  Shard shard(kOriginalKeys);
  REQUIRE(shard.Append(1, "a/x.jpg", {}, {}).ok());
  REQUIRE(shard.Append(2, "a/y.jpg", {}, {}).ok());
  const Status status = shard.Append(3, "a/x.png", {}, {});
  CHECK(status.code() == Code::kUnsupported);
  CHECK_THAT(status.message(), Contains("\"a/x\" twice"));
  REQUIRE(shard.Append(4, "b/x.jpg", {}, {}).ok());
  // Ids are not kept: they are the pack's own.
  Shard by_id;
  for (std::uint64_t id = 1; id < 4; ++id) {
    REQUIRE(by_id.Append(id, "a/x.jpg", {}, {}).ok());
  }
}

}  // namespace
}  // namespace shardine::webdataset_shard_test
