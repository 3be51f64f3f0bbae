// Lists that name and label the records of shards that are indexed in place.
#include <catch2/catch.hpp>

#include "dataset/dataset_reader.h"
#include "shardine/index.h"
#include "shardine/pack_result.h"
#include "shardine/status.h"
#include "shardine/verify.h"
#include "support/pack_fixture.h"
#include "unit/tfrecord/tfrecord_bytes.h"

namespace shardine::index_list_test {
namespace {

// A shard of three samples without labels; ids and keys as far as the format
// has them.
void PutShard(MemoryStorage& storage, const std::string& format,
              const std::string& path) {
  const auto choice = ParseFormat(BuiltinFormats(), format);
  REQUIRE(choice.ok());
  REQUIRE(storage.CreateDirectories("rec").ok());
  const auto writer = choice->format->create_writer(
      storage,
      {.shard = path,
       .companion =
           choice->layout->companion_suffix.empty() ? "" : "rec/unused"},
      *choice);
  REQUIRE(writer.ok());
  for (std::uint64_t i = 0; i < 3; ++i) {
    const std::string key = "n0/" + std::to_string(i) + ".jpg";
    const std::string image = "image " + std::to_string(i);
    const FieldView field{.name = kImageField, .bytes = AsBytes(image)};
    REQUIRE((*writer)
                ->Append({.id = 100 + i,
                          .key = key,
                          .labels = {},
                          .fields = {&field, 1}})
                .ok());
  }
  REQUIRE((*writer)->Finish().ok());
}

Result<PackResult> Index(Storage& storage, const std::string& path,
                         const std::string& list = "",
                         MatchBy by = MatchBy::kKey) {
  IndexOptions options;
  options.list_by = by;
  options.files = {path};
  options.output = "index";
  options.list = list;
  return IndexShards(options, {.storage = &storage});
}

// "ID KEY LABEL" of each sample, in order.
std::vector<std::string> SamplesOf(Storage& storage) {
  const auto dataset = DatasetReader::Open(storage, "index");
  REQUIRE(dataset.ok());
  const auto index = (*dataset)->OpenIndex((*dataset)->shards()[0]);
  REQUIRE(index.ok());
  std::vector<std::string> samples;
  for (std::uint64_t i = 0; i < (*index)->size(); ++i) {
    const auto entry = (*index)->Entry(i);
    REQUIRE(entry.ok());
    std::string text = std::to_string(entry->id) + " " + *(*index)->Key(i);
    for (const Label& label : entry->labels) text += " " + label.ToString();
    samples.push_back(text);
  }
  return samples;
}

void CheckSound(Storage& storage) {
  VerifyOptions options;
  options.target = "index";
  const auto result = Verify(options, {.storage = &storage});
  REQUIRE(result.status().ToString() == "OK");
  CHECK(result->findings.empty());
}

using Samples = std::vector<std::string>;

TEST_CASE("A list labels the records of its keys, wherever they stand in it",
          "[index][list]") {
  MemoryStorage storage;
  const std::string file = GENERATE("rec/a.tar", "rec/a.tar.gz");
  PutShard(storage, "webdataset", "rec/a.tar");
  if (file == "rec/a.tar.gz") {
    storage.Put(file, Deflated(*storage.Get("rec/a.tar"), 31));
  }
  // Ids that are those of other records, and a path as a shell writes it.
  storage.Put("x.lst",
              "100\t12\tn0/2.jpg\n101\t10\t./n0/0.jpg\n102 \t11\tn0/1.jpg\n");
  const auto indexed = Index(storage, file, "x.lst");
  REQUIRE(indexed.status().ToString() == "OK");
  CHECK(SamplesOf(storage) ==
        Samples{"100 n0/0.jpg 10", "101 n0/1.jpg 11", "102 n0/2.jpg 12"});
  REQUIRE(indexed->lists.size() == 1);
  CHECK(indexed->lists[0].path == "x.lst");
  CHECK(indexed->lists[0].shard == file);
  CHECK(indexed->lists[0].by == "key");
  CHECK(indexed->lists[0].matched == 3);
  CHECK(indexed->lists[0].labelled == 3);
  CheckSound(storage);
}

TEST_CASE("A list never renames a record nor labels one by its position",
          "[index][list]") {
  MemoryStorage storage;
  PutShard(storage, "webdataset", "rec/a.tar");
  storage.Put("rec/a.lst", "0\t5\tother/a.jpg\n1\t6\tn0/0.jpg\n");
  const auto indexed = Index(storage, "rec/a.tar");
  REQUIRE(indexed.status().ToString() == "OK");
  CHECK(SamplesOf(storage) ==
        Samples{"100 n0/0.jpg 6", "101 n0/1.jpg", "102 n0/2.jpg"});
  REQUIRE(indexed->warnings.size() == 2);
  CHECK(indexed->warnings[1] == "rec/a.lst: 1 row is of no record");
  CHECK_THAT(indexed->warnings[0],
             Catch::Contains("2 records are not in the list rec/a.lst by "
                             "their key"));
}

TEST_CASE("A list is matched by id where records have ids and no keys",
          "[index][list]") {
  MemoryStorage storage;
  PutShard(storage, "recordio", "rec/a.rec");
  storage.Put("rec/a.lst", "102\t7\tc.jpg\n100\t8\ta.jpg\n");
  const auto indexed = Index(storage, "rec/a.rec");
  REQUIRE(indexed.status().ToString() == "OK");
  CHECK(SamplesOf(storage) ==
        Samples{"100 a.jpg 8", "101 00000101", "102 c.jpg 7"});
  CHECK(indexed->lists[0].by == "id");
  CheckSound(storage);
}

// semantics review 1: the order of a scan is no id.
TEST_CASE("A list is matched by position where that is asked for",
          "[index][list]") {
  MemoryStorage storage;
  PutShard(storage, "hdf5/fuel", "rec/a.h5");
  PutShard(storage, "lmdb/folder2lmdb", "rec/a.lmdb");
  storage.Put("x.lst", "2\t7\tc.jpg\n0\t8\ta.jpg\n1\t9\tb.jpg\n");
  CHECK(Index(storage, "rec/a.lmdb", "x.lst").status().code() ==
        Code::kInvalidArgument);
  const auto indexed =
      Index(storage, "rec/a.lmdb", "x.lst", MatchBy::kPosition);
  REQUIRE(indexed.status().ToString() == "OK");
  CHECK(indexed->lists[0].by == "position");
  CHECK(indexed->lists[0].matched == 3);
  for (const std::string& sample : SamplesOf(storage)) {
    CHECK_THAT(sample, Catch::Contains(".jpg"));
  }
}

TEST_CASE("A list that was asked for and is of no record is an error",
          "[index][list]") {
  MemoryStorage storage;
  PutShard(storage, "webdataset", "rec/a.tar");
  storage.Put("x.lst", "100\t5\tother/a.jpg\n101\t6\tother/b.jpg\n");
  const auto indexed = Index(storage, "rec/a.tar", "x.lst");
  CHECK(indexed.status().code() == Code::kInvalidArgument);
  CHECK(indexed.status().where().path == "x.lst");
  CHECK(indexed.status().message() ==
        "none of the 2 rows of the list is of one of the 3 samples, by their "
        "key; 2 samples have the id of a row with another key");
  CHECK_FALSE(storage.Stat("index/shardine.json").ok());
  CHECK_FALSE(storage.Stat("index/.shardine/a.tar.sdx").ok());
  // A list beside the shard is only mentioned.
  storage.Put("rec/a.lst", *storage.Get("x.lst"));
  CHECK(Index(storage, "rec/a.tar").ok());
}

TEST_CASE("A list that has a key twice, with other labels, is an error",
          "[index][list]") {
  MemoryStorage storage;
  PutShard(storage, "webdataset", "rec/a.tar");
  storage.Put("x.lst", "1\t5\tn0/1.jpg\n2\t6\tn0/1.jpg\n");
  const auto indexed = Index(storage, "rec/a.tar", "x.lst");
  CHECK(indexed.status().code() == Code::kInvalidArgument);
  CHECK(indexed.status().where().key == "n0/1.jpg");
  storage.Put("x.lst", "1\t5\tn0/1.jpg\n2\t5\tn0/1.jpg\n");
  CHECK(Index(storage, "rec/a.tar", "x.lst").ok());
}

}  // namespace
}  // namespace shardine::index_list_test
