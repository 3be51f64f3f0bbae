#include "webdataset/webdataset_scanner.h"

#include <zlib.h>

#include "base/compress.h"
#include "support/sparse_file.h"
#include "unit/webdataset/tar_bytes.h"

namespace shardine::webdataset_scanner_test {
namespace {

using Catch::Contains;

std::string Npy(const std::string& descr, const std::string& shape,
                const std::string& data) {
  const std::string dict = "{'descr': '" + descr +
                           "', 'fortran_order': False, 'shape': " + shape +
                           ", }\n";
  std::string file = std::string("\x93NUMPY\x01\0", 8);
  AppendLe(static_cast<std::uint16_t>(dict.size()), file);
  return file + dict + data;
}

// The only sample of an archive of these files.
TarSample ScanOne(const std::string& files) {
  const Found found = ScanTar(files + kTarEnd);
  REQUIRE(found.status.ToString() == "OK");
  REQUIRE(found.samples.size() == 1);
  return found.samples[0];
}

Status ScanFails(const std::string& files) {
  const Status status = ScanTar(files + kTarEnd).status;
  CHECK(status.where().record.has_value());
  CHECK(status.where().path == "x.tar");
  return status;
}

TEST_CASE("WebDatasetScanner groups neighbours of one prefix",
          "[webdataset][scanner]") {
  const Found found = ScanTar(
      TarFile("a.jpg", "1") + TarFile("a.txt", "2") + TarFile("b/a.jpg", "3") +
      TarFile("b.x/c.jpg", "4") + TarFile("a.jpg", "5") + kTarEnd);
  REQUIRE(found.status.ToString() == "OK");
  REQUIRE(found.samples.size() == 4);
  CHECK(found.samples[0].fields.size() == 2);
  CHECK(found.samples[0].fields.at("image").bytes == "1");
  CHECK(found.samples[0].fields.at("txt").bytes == "2");
  CHECK(found.samples[0].key == "a.jpg");
  CHECK(found.samples[1].key == "b/a.jpg");
  CHECK(found.samples[1].offset == 2048);
  CHECK(found.samples[2].key == "b.x/c.jpg");
  CHECK(found.samples[3].key == "a.jpg");
}

TEST_CASE("WebDatasetScanner says that a tar of tars is one",
          "[webdataset][scanner]") {
  const std::string inner = TarFile("n01_1.JPEG", "1") + kTarEnd;
  const Status refused =
      ScanFails(TarFile("n01.tar", inner) + TarFile("n02.tar", inner));
  CHECK(refused.code() == Code::kUnsupported);
  CHECK_THAT(refused.message(),
             Contains("a tar file of tar files") && Contains("\"n01.tar\""));
  CHECK(refused.where().record == 0);
  CHECK(ScanFails(TarFile("a/part.0.tar", inner)).code() == Code::kUnsupported);
  // A sample may have an archive, and a member called .tar be none.
  CHECK(
      ScanOne(TarFile("a.jpg", "1") + TarFile("a.tar", inner)).fields.size() ==
      2);
  CHECK(ScanOne(TarFile("a.tar", "no archive")).fields.size() == 1);
}

TEST_CASE("WebDatasetScanner passes over what is no part of a sample",
          "[webdataset][scanner]") {
  const Found found =
      ScanTar(TarFile("README", "r") + TarFile("n01/", "", '5') +
              TarFile("__meta__", "m") + TarFile("a.jpg", "1") +
              TarFile(".hidden", "h") + TarFile("n01/", "", '5') +
              TarFile("__x__/a.jpg", "m") + TarFile("a.txt", "2") +
              TarFile("LICENSE", "l") + kTarEnd);
  REQUIRE(found.status.ToString() == "OK");
  REQUIRE(found.samples.size() == 1);
  CHECK(found.samples[0].offset == 2560);
  CHECK(found.samples[0].fields.size() == 2);
  CHECK(found.samples[0].fields.at("txt").at_extents == "2");
  CHECK(ScanTar(TarFile("README", "r") + kTarEnd).samples.empty());
}

TEST_CASE("WebDatasetScanner gives every field its place in the file",
          "[webdataset][scanner]") {
  const TarSample sample =
      ScanOne(TarFile("a.jpg", std::string(1000, 'j')) + TarFile("a.txt", "") +
              TarFile("a.x.npy", Npy("<u2", "(2,)", "abcd")));
  REQUIRE(sample.fields.size() == 3);
  for (const auto& [name, field] : sample.fields) {
    CHECK(field.at_extents == field.bytes);
  }
  CHECK(sample.fields.at("x").dtype == "<u2");
  CHECK(sample.fields.at("x").shape == std::vector<std::uint64_t>{2});
}

TEST_CASE("WebDatasetScanner takes the first of the list of images",
          "[webdataset][scanner]") {
  const auto image = [](const std::string& files) {
    const TarSample sample = ScanOne(files);
    return sample.fields.contains("image") ? sample.fields.at("image").bytes
                                           : "none";
  };
  std::string all;
  for (const char* extension :
       {"img", "tiff", "tif", "gif", "bmp", "pnm", "pbm", "pgm", "ppm", "webp",
        "png", "jpeg", "jpg"}) {
    CHECK(image(TarFile(std::string("a.") + extension, "x")) == "x");
    all += TarFile(std::string("a.") + extension, extension);
    CHECK(image(all) == extension);
  }
  const TarSample sample = ScanOne(all);
  CHECK(sample.key == "a.jpg");
  CHECK(sample.fields.size() == 13);
  CHECK(sample.fields.at("png").bytes == "png");
  CHECK(image(TarFile("a.JPG", "x")) == "x");
  CHECK(image(TarFile("a.seg.jpg", "x")) == "none");
  CHECK(image(TarFile("a.image", "x")) == "x");
}

TEST_CASE("WebDatasetScanner reads ids of prefixes that are numbers",
          "[webdataset][scanner]") {
  CHECK(ScanOne(TarFile("0007.jpg", "")).id == 7);
  CHECK(ScanOne(TarFile("./0007.jpg", "")).id == 7);
  CHECK_FALSE(ScanOne(TarFile("n01/0007.jpg", "")).id.has_value());
  CHECK_FALSE(ScanOne(TarFile("a7.jpg", "")).id.has_value());
}

TEST_CASE("WebDatasetScanner keys a sample by its image, else by its prefix",
          "[webdataset][scanner]") {
  CHECK(ScanOne(TarFile("n01/a.txt", "") + TarFile("n01/a.JPEG", "")).key ==
        "n01/a.JPEG");
  CHECK(ScanOne(TarFile("n01/a.txt", "")).key == "n01/a");
}

TEST_CASE("WebDatasetScanner reads .cls as Python's int() does",
          "[webdataset][scanner]") {
  const auto labels = [](const std::string& text) {
    const TarSample sample = ScanOne(TarFile("a.cls", text));
    CHECK(sample.labels.size() + sample.fields.size() == 1);
    if (!sample.labels.empty()) return sample.labels[0].ToString();
    CHECK(sample.fields.at("cls").bytes == text);
    return std::string("a field");
  };
  CHECK(labels("7") == "7");
  CHECK(labels(" -12\n") == "-12");
  CHECK(labels("+3") == "3");
  CHECK(labels("007") == "7");
  CHECK(labels("-9223372036854775808") == "-9223372036854775808");
  CHECK(labels("9223372036854775808") == "a field");
  for (const char* text :
       {"", " ", "7 8", "n01440764", "0.5", "+-3", "+", "-", "0x7", "1e3"}) {
    CHECK(labels(text) == "a field");
  }
}

TEST_CASE("WebDatasetScanner names arrays without .npy where that is free",
          "[webdataset][scanner]") {
  const std::string one = Npy("|u1", "(1,)", "1");
  const auto names = [](const TarSample& sample) {
    std::string text;
    for (const auto& [name, field] : sample.fields) {
      text += name + (field.dtype == "|u1" ? "[] " : " ");
    }
    return text;
  };
  CHECK(names(ScanOne(TarFile("a.npy", one) + TarFile("a.x.npy", one))) ==
        "npy[] x[] ");
  CHECK(names(ScanOne(TarFile("a.x", "bytes") + TarFile("a.x.npy", one))) ==
        "x x.npy[] ");
  CHECK(names(ScanOne(TarFile("a.jpg", "") + TarFile("a.image.npy", one))) ==
        "image image.npy[] ");
  CHECK(names(ScanOne(TarFile("a.image.npy", one))) == "image[] ");
  CHECK(names(ScanOne(TarFile("a.json", "{\"key\": 1}") + TarFile("a.", "") +
                      TarFile("a.txt.gz", ""))) == " json txt.gz ");
}

TEST_CASE("WebDatasetScanner converts big-endian arrays, which lie nowhere",
          "[webdataset][scanner]") {
  const TarSample sample =
      ScanOne(TarFile("a.x.npy", Npy(">u2", "(2,)", "abcd")) +
              TarFile("a.y.npy", Npy(">u2", "(0,)", "")));
  CHECK(sample.fields.at("x").dtype == "<u2");
  CHECK(sample.fields.at("x").bytes == "badc");
  CHECK_FALSE(sample.fields.at("x").at_extents.has_value());
  CHECK(sample.fields.at("y").at_extents == "");
}

TEST_CASE("WebDatasetScanner refuses an extension that a sample has twice",
          "[webdataset][scanner][corruption]") {
  const Status status =
      ScanFails(TarFile("b.jpg", "") + TarFile("a.jpg", "1") +
                TarFile("a.txt", "2") + TarFile("a.JPG", "3"));
  CHECK(status.code() == Code::kCorrupt);
  CHECK_THAT(status.message(), Contains("\"a.JPG\""));
  CHECK(status.where().record == 1);
  CHECK(status.where().offset == 2560);
}

TEST_CASE("WebDatasetScanner refuses two files for one field by name",
          "[webdataset][scanner]") {
  const Status status =
      ScanFails(TarFile("a.jpg", "1") + TarFile("a.image", "2"));
  CHECK(status.code() == Code::kUnsupported);
  CHECK_THAT(status.message(), Contains("\"image\""));
}

TEST_CASE("WebDatasetScanner refuses damaged and pickled arrays by name",
          "[webdataset][scanner][corruption]") {
  const Status damaged = ScanFails(TarFile("a.x.npy", "not an array"));
  CHECK(damaged.code() == Code::kCorrupt);
  CHECK_THAT(damaged.message(), Contains("\"a.x.npy\""));
  CHECK(damaged.where().offset == 512);
  const Status pickled = ScanFails(TarFile("a.x.npy", Npy("|O", "(1,)", "")));
  CHECK(pickled.code() == Code::kUnsupported);
}

std::string Ours(const std::string& labels) {
  return R"({"shardine":1,"key":"n01/b.jpg","labels":[)" + labels + "]}";
}

TEST_CASE("WebDatasetScanner knows our samples by their .json",
          "[webdataset][scanner]") {
  const TarSample sample =
      ScanOne(TarFile("00000012.png", "p") + TarFile("00000012.cls", "5") +
              TarFile("00000012.json", Ours("5")) +
              TarFile("00000012.%41.npy", Npy("|u1", "(1,)", "1")) +
              TarFile("00000012.json.bin", "raw"));
  CHECK(sample.id == 12);
  CHECK(sample.key == "n01/b.jpg");
  CHECK(sample.labels == std::vector<Label>{Label(5)});
  REQUIRE(sample.fields.size() == 3);
  CHECK(sample.fields.at("image").bytes == "p");
  CHECK(sample.fields.at("A").dtype == "|u1");
  CHECK(sample.fields.at("json").bytes == "raw");
}

TEST_CASE("WebDatasetScanner leaves a foreign .json to be a field",
          "[webdataset][scanner]") {
  const std::string text = R"({"key":"x","labels":[1]})";
  const TarSample sample = ScanOne(TarFile("1.json", text));
  CHECK(sample.fields.at("json").bytes == text);
  CHECK(sample.key == "1");
}

TEST_CASE("WebDatasetScanner finds damage in our samples",
          "[webdataset][scanner][corruption]") {
  const std::string json = TarFile("1.json", Ours("5"));
  const auto corrupt = [](const std::string& files) {
    const Status status = ScanFails(files);
    CHECK(status.code() == Code::kCorrupt);
    return status.message();
  };
  CHECK_THAT(corrupt(TarFile("1.json", Ours("5 "))), Contains(".json"));
  CHECK_THAT(corrupt(json + TarFile("1.cls", "6")), Contains(".cls"));
  CHECK_THAT(corrupt(TarFile("1.json", Ours("5,5")) + TarFile("1.cls", "5")),
             Contains(".cls"));
  CHECK_THAT(corrupt(TarFile("1.json", Ours("0.5")) + TarFile("1.cls", "0")),
             Contains(".cls"));
  CHECK_THAT(corrupt(json + TarFile("1.%txt", "x")), Contains("\"1.%txt\""));
  CHECK_THAT(corrupt(json + TarFile("1.%.%.bin", "x")), Contains("no file"));
  CHECK_THAT(corrupt(json + TarFile("1.image.bin", "x")), Contains("no file"));
  CHECK_THAT(corrupt(json + TarFile("1.x.npy", "x")), Contains(".npy"));
  std::string padding = json;
  padding.back() = 'x';
  CHECK_THAT(corrupt(padding), Contains("padding"));
  // Two forms of a field.
  CHECK(ScanFails(json + TarFile("1.txt", "") + TarFile("1.txt.bin", ""))
            .code() == Code::kUnsupported);
}

std::string Gzip(const std::string& plain) {
  z_stream stream{};
  REQUIRE(deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8,
                       Z_DEFAULT_STRATEGY) == Z_OK);
  std::string out(deflateBound(&stream, plain.size()) + 64, '\0');
  stream.next_in =
      const_cast<Bytef*>(reinterpret_cast<const Bytef*>(plain.data()));
  stream.avail_in = static_cast<uInt>(plain.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  REQUIRE(deflate(&stream, Z_FINISH) == Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

TEST_CASE("WebDatasetScanner reads compressed archives, without extents",
          "[webdataset][scanner]") {
  const std::string plain = TarFile("1.jpg", std::string(2'000'000, 'j')) +
                            TarFile("1.cls", "3") + TarFile("2.jpg", "second") +
                            TarFile("2.txt", "") + kTarEnd;
  for (const std::string& file : {Gzip(plain), ZstdCompress(AsBytes(plain))}) {
    const Found found = ScanTar(file);
    REQUIRE(found.status.ToString() == "OK");
    REQUIRE(found.samples.size() == 2);
    CHECK(found.samples[0].fields.at("image").bytes.size() == 2'000'000);
    CHECK_FALSE(found.samples[0].fields.at("image").at_extents.has_value());
    CHECK(found.samples[1].fields.at("image").bytes == "second");
    CHECK(found.samples[1].fields.at("txt").at_extents == "");
    CHECK(found.samples[1].offset == plain.size() - 1024 - 512 - 1024);
    CHECK(kWebDatasetFormat.probe(
        AsBytes(file).first(std::min<std::size_t>(4096, file.size()))));
  }
}

TEST_CASE("WebDatasetScanner finds compressed archives that are cut",
          "[webdataset][scanner][corruption]") {
  const std::string plain =
      TarFile("1.jpg", std::string(3000, 'j')) + TarFile("2.jpg", "second");
  const std::string file = Gzip(plain + kTarEnd);
  for (std::size_t size = 20; size < file.size(); ++size) {
    const Found found = ScanTar(file.substr(0, size));
    CHECK(found.status.code() == Code::kCorrupt);
    CHECK(found.samples.size() < 3);
  }
  // Whole members of gzip around an archive that ends early.
  const Status status = ScanTar(Gzip(plain.substr(0, 1000))).status;
  CHECK(status.code() == Code::kCorrupt);
  CHECK_THAT(status.message(), Contains("decompressed"));
  CHECK(ScanTar(Gzip(plain)).status.code() == Code::kCorrupt);
}

TEST_CASE("WebDatasetScanner holds a compressed sample to a bound",
          "[webdataset][scanner][corruption]") {
  const std::string plain =
      HeaderBlock(
          {.name = "1.jpg", .size = Octal(std::uint64_t{8} << 30 >> 1)}) +
      std::string(100'000, '\0');
  const Status status = ScanTar(Gzip(plain)).status;
  CHECK_FALSE(status.ok());
  CHECK(status.where().record == 0);
}

TEST_CASE("WebDatasetScanner asks for no memory for a sparse archive's files",
          "[webdataset][hostile]") {
  constexpr std::uint64_t kSize = std::uint64_t{7} << 30;
  const SparseFile file(
      "x.tar",
      HeaderBlock({.name = "a.jpg", .size = Octal(std::uint64_t{6} << 30)}),
      kSize);
  const auto scanner = OpenWebDatasetScanner(file, {});
  REQUIRE(scanner.ok());
  const Status status = (*scanner)->Next().status();
  CHECK(status.code() == Code::kUnsupported);
  CHECK(status.where().path == "x.tar");
  CHECK(status.where().record == 0u);
  CHECK(status.where().offset == 0u);
  CHECK_THAT(status.message(), Contains("more than 2 GiB"));
  CHECK(file.longest() < std::size_t{4} << 20);
}

}  // namespace
}  // namespace shardine::webdataset_scanner_test
