// Findings of index in shards of formats that know more, or less, than
// RecordIO.

#include <zlib.h>

#include <catch2/catch.hpp>

#include "dataset/dataset_reader.h"
#include "shardine/convert.h"
#include "shardine/index.h"
#include "shardine/pack.h"
#include "shardine/verify.h"
#include "support/dataset_checks.h"
#include "support/pack_fixture.h"

namespace shardine::index_formats_test {
namespace {

constexpr char kStem[] = "in/train-00000-of-00001";

void PackTree(MemoryStorage& storage, const std::string& format,
              const std::string& output = "in") {
  PutTree(storage, "tree", 3, 4, 900);
  PackOptions options = PackOf("tree", output);
  options.format = format;
  options.shards = 1;
  REQUIRE(Pack(options, {.storage = &storage}).status().ToString() == "OK");
}

Result<PackResult> Index(Storage& storage, const std::string& file,
                         const std::string& format = "") {
  IndexOptions options;
  options.files = {file};
  options.output = "index";
  options.format = format;
  return IndexShards(options, {.storage = &storage});
}

std::string Gzip(const std::string& plain) {
  z_stream stream{};
  REQUIRE(deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8,
                       Z_DEFAULT_STRATEGY) == Z_OK);
  std::string packed(deflateBound(&stream, plain.size()), '\0');
  stream.next_in =
      const_cast<Bytef*>(reinterpret_cast<const Bytef*>(plain.data()));
  stream.avail_in = static_cast<uInt>(plain.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  REQUIRE(deflate(&stream, Z_FINISH) == Z_STREAM_END);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

std::size_t CountFindings(Storage& storage, const std::string& target) {
  VerifyOptions options;
  options.target = target;
  const auto result = Verify(options, {.storage = &storage});
  REQUIRE(result.status().ToString() == "OK");
  return result->findings.size();
}

TEST_CASE("Index takes class names and texts from records that have them",
          "[index]") {
  MemoryStorage storage;
  storage.Put("words.txt", "class0\tthe first\nclass2\tthe third\n");
  PutTree(storage, "tree", 3, 4, 900);
  PackOptions options = PackOf("tree", "in");
  options.format = "tfrecord";
  options.shards = 1;
  options.source.class_text = "words.txt";
  REQUIRE(Pack(options, {.storage = &storage}).ok());
  storage.Put("x.tfrecord", *storage.Get(std::string(kStem) + ".tfrecord"));
  const auto indexed = Index(storage, "x.tfrecord");
  REQUIRE(indexed.status().ToString() == "OK");
  CHECK(indexed->classes == 3);
  const Manifest manifest = ManifestOf(storage, "index");
  CHECK(manifest.classes == ManifestOf(storage, "in").classes);
  CHECK(manifest.classes[2].text == "the third");
  CHECK(manifest.names_digest() == ManifestOf(storage, "in").names_digest());
}

TEST_CASE("Index with a layout reads labels by it", "[index]") {
  MemoryStorage storage;
  PackTree(storage, "tfrecord/imagenet:label_offset=1");
  storage.Put("x.tfrecord", *storage.Get(std::string(kStem) + ".tfrecord"));
  REQUIRE(Index(storage, "x.tfrecord", "tfrecord/imagenet:label_offset=1")
              .status()
              .ToString() == "OK");
  CHECK(ManifestOf(storage, "index").content_digest() ==
        ManifestOf(storage, "in").content_digest());
  CHECK(ManifestOf(storage, "index").format ==
        "tfrecord/imagenet:label_offset=1");
  CHECK(CountFindings(storage, "index") == 0);
}

TEST_CASE("Index finds the file in a directory that stands for a shard",
          "[index]") {
  MemoryStorage storage;
  PackTree(storage, "lmdb");
  storage.Put("foreign/set.lmdb/data.mdb",
              *storage.Get(std::string(kStem) + ".lmdb"));
  for (const std::string path : {"foreign/set.lmdb", "foreign/set.lmdb/"}) {
    const auto indexed = Index(storage, path);
    REQUIRE(indexed.status().ToString() == "OK");
    const Manifest manifest = ManifestOf(storage, "index");
    CHECK(manifest.splits[0].shards[0].file.path ==
          "../foreign/set.lmdb/data.mdb");
    CHECK(storage.Stat("index/.shardine/set.lmdb.sdx").ok());
    CHECK(CountFindings(storage, "index") == 0);
    CHECK(CountFindings(storage, path) == 0);
    REQUIRE(storage.Remove("index/shardine.json").ok());
  }
}

TEST_CASE(
    "A compressed shard is indexed, verified and converted, not read "
    "at random",
    "[index][convert]") {
  MemoryStorage storage;
  PackTree(storage, "webdataset");
  storage.Put("x.tar.gz", Gzip(*storage.Get(std::string(kStem) + ".tar")));
  const auto indexed = Index(storage, "x.tar.gz");
  REQUIRE(indexed.status().ToString() == "OK");
  REQUIRE(indexed->warnings.size() == 3);
  CHECK_THAT(indexed->warnings[0], Catch::Contains("not streamed"));
  CHECK_THAT(indexed->warnings[1],
             Catch::Contains("the folders in their keys do"));
  CHECK_THAT(indexed->warnings[2], Catch::Contains("have no bytes"));
  CHECK(CountFindings(storage, "index") == 0);
  const Manifest in = ManifestOf(storage, "in");
  CHECK(ManifestOf(storage, "index").content_digest() == in.content_digest());
  CHECK(ManifestOf(storage, "index").classes == in.classes);

  const auto dataset = DatasetReader::Open(storage, "index");
  REQUIRE(dataset.ok());
  const auto& ref = (*dataset)->shards()[0];
  const auto index = (*dataset)->OpenIndex(ref);
  const auto file = storage.Open((*dataset)->ShardPath(ref));
  ByteBuffer payload;
  CHECK(ReadPayload(**file, *(*index)->Entry(1), payload).code() ==
        Code::kUnsupported);

  ConvertOptions options;
  options.input = "index";
  options.output = "out";
  options.format = "recordio";
  options.shards = 3;
  options.threads = 4;
  REQUIRE(Convert(options, {.storage = &storage}).status().ToString() == "OK");
  const Manifest out = ManifestOf(storage, "out");
  CHECK(out.content_digest() == in.content_digest());
  CHECK(out.names_digest() == in.names_digest());
  CHECK(CountFindings(storage, "out") == 0);
  options.output = "shuffled";
  options.reshuffle = 1;
  CHECK(Convert(options, {.storage = &storage}).status().code() ==
        Code::kUnsupported);
}

TEST_CASE("Bounding boxes become fields, in formats that hold them",
          "[pack][boxes]") {
  MemoryStorage storage;
  PutTree(storage, "tree", 2, 3, 500);
  storage.Put("boxes.csv",
              "class1/1.jpg,0,0,0.5,1\nclass1/1.jpg,0.25,0.5,1,1\n"
              "no.jpg,0,0,1,1\n");
  PackOptions options = PackOf("tree", "out");
  options.source.bounding_boxes = "boxes.csv";
  const Status refused = Pack(options, {.storage = &storage}).status();
  CHECK(refused.code() == Code::kUnsupported);
  CHECK_THAT(refused.message(), Catch::Contains("tfrecord/imagenet"));
  for (const std::string format : {"tfrecord", "webdataset", "hdf5"}) {
    INFO(format);
    options.format = format;
    options.output = format;
    REQUIRE(Pack(options, {.storage = &storage}).status().ToString() == "OK");
    CHECK(CountFindings(storage, format) == 0);
    const auto dataset = DatasetReader::Open(storage, format);
    const auto at = (*dataset)->FindKey("class1/1.jpg");
    REQUIRE(at.ok());
    const auto entry = (*(*dataset)->OpenIndex(*at->shard))->Entry(at->record);
    REQUIRE(entry.ok());
    REQUIRE(entry->fields.size() == 5);
    CHECK(entry->fields[1].name == "image/object/bbox/xmax");
    CHECK(entry->fields[1].dtype == "<f4");
    CHECK(entry->fields[1].shape == std::vector<std::uint64_t>{2});
  }
  CHECK(ManifestOf(storage, "tfrecord").content_digest() ==
        ManifestOf(storage, "hdf5").content_digest());
}

}  // namespace
}  // namespace shardine::index_formats_test
