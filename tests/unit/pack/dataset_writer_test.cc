// Samples of the caller's own, in order, as a dataset.
#include "shardine/dataset_writer.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "dataset/dataset_reader.h"
#include "dataset/manifest.h"
#include "io/folder_lock.h"
#include "shard/shard_index.h"
#include "shardine/convert.h"
#include "shardine/dataset.h"
#include "shardine/verify.h"
#include "support/pack_fixture.h"
#include "support/temp_directory.h"
#include "support/variant_fixture.h"

namespace shardine::dataset_writer_test {
namespace {

using Catch::Contains;

DatasetWriterOptions WriteTo(const std::string& output) {
  DatasetWriterOptions options;
  options.output = output;
  options.shard_samples = 4;
  options.check = ImageCheckLevel::kNone;
  return options;
}

struct World {
  MemoryStorage storage;

  std::unique_ptr<DatasetWriter> Begin(const DatasetWriterOptions& options) {
    auto writer = DatasetWriter::Create(options, {.storage = &storage});
    REQUIRE(writer.status().ToString() == "OK");
    return *std::move(writer);
  }
  Status Refused(const DatasetWriterOptions& options) {
    return DatasetWriter::Create(options, {.storage = &storage}).status();
  }
  void CheckSound(const std::string& folder) {
    const auto verified =
        Verify({.target = folder, .against = {}}, {.storage = &storage});
    REQUIRE(verified.status().ToString() == "OK");
    for (const Status& finding : verified->findings) {
      FAIL_CHECK(finding.ToString());
    }
    for (const std::string& note : verified->notes) FAIL_CHECK(note);
  }
  std::vector<std::string> KeysOf(const std::string& shard) {
    std::vector<std::string> keys;
    const auto index = ShardIndex::Open(storage, SidecarName(shard));
    REQUIRE(index.ok());
    REQUIRE((*index)->Keys(0, (*index)->size(), keys).ok());
    return keys;
  }
};

// A sample of that key with noise for an image, or another one's.
Status AppendNoise(DatasetWriter& writer, const std::string& key,
                   std::string_view split = "train", std::uint64_t noise = 0) {
  const std::string image = NoiseBytes(100 + key.size(), noise);
  const FieldView field{.name = kImageField, .bytes = AsBytes(image)};
  const Label label(3);
  return writer.Append({.key = key,
                        .labels = {&label, 1},
                        .fields = {&field, 1},
                        .split = split});
}

// Ten samples in two splits, which come in turns.
Status WriteTen(DatasetWriter& writer) {
  for (int i = 0; i < 10; ++i) {
    const Status status =
        AppendNoise(writer, "s" + std::to_string(9 - i),
                    i % 3 == 2 ? "val" : "train", static_cast<unsigned>(i));
    if (!status.ok()) return status;
  }
  return Status();
}

TEST_CASE_METHOD(World, "DatasetWriter writes samples in the order they come",
                 "[pack][writer]") {
  const auto writer = Begin(WriteTo("out"));
  REQUIRE(WriteTen(*writer).ok());
  const auto result = writer->Finish();
  REQUIRE(result.status().ToString() == "OK");
  CHECK(result->samples == 10);
  CHECK(result->shards == 3);
  CheckSound("out");
  CHECK(KeysOf("out/train-00000-of-00002.rec") ==
        std::vector<std::string>{"s9", "s8", "s6", "s5"});
  CHECK(KeysOf("out/train-00001-of-00002.rec") ==
        std::vector<std::string>{"s3", "s2", "s0"});
  CHECK(KeysOf("out/val-00000-of-00001.rec") ==
        std::vector<std::string>{"s7", "s4", "s1"});
  CHECK_FALSE(storage.Stat("out/.pack").ok());
  const auto manifest = ReadManifest(storage, "out");
  REQUIRE(manifest.ok());
  CHECK(ToString(manifest->made) ==
        "write --entry-points auto --format recordio/mxnet --shard-samples 4 "
        "--shard-size 256M");
}

TEST_CASE_METHOD(World, "DatasetWriter gives the same bytes for one input",
                 "[pack][writer]") {
  for (const char* output : {"a", "b"}) {
    const auto writer = Begin(WriteTo(output));
    REQUIRE(WriteTen(*writer).ok());
    REQUIRE(writer->Finish().ok());
  }
  CHECK(TakeSnapshot(storage, "a") == TakeSnapshot(storage, "b"));
}

TEST_CASE_METHOD(World, "DatasetWriter cuts shards by bytes",
                 "[pack][writer]") {
  DatasetWriterOptions options = WriteTo("out");
  options.shard_samples = 0;
  // Keys of 2 bytes, images of 102, a label and 64: two fit, not three.
  options.shard_bytes = 2 * (102 + 2 + 64 + sizeof(Label));
  const auto writer = Begin(options);
  for (int i = 0; i < 5; ++i) {
    REQUIRE(AppendNoise(*writer, "k" + std::to_string(i)).ok());
  }
  const auto result = writer->Finish();
  REQUIRE(result.ok());
  CHECK(result->shards == 3);
  CHECK(KeysOf("out/train-00001-of-00003.rec").size() == 2);
}

TEST_CASE_METHOD(World, "DatasetWriter leaves nothing without Finish",
                 "[pack][writer]") {
  REQUIRE(WriteTen(*Begin(WriteTo("out"))).ok());
  CHECK_FALSE(storage.Stat("out").ok());
  REQUIRE(storage.CreateDirectories("mine").ok());
  REQUIRE(WriteTen(*Begin(WriteTo("mine"))).ok());
  CHECK(storage.Stat("mine").ok());
  CHECK(TakeSnapshot(storage, "mine").empty());
}

TEST_CASE_METHOD(World, "DatasetWriter at work is no dataset and says so",
                 "[pack][writer][unfinished]") {
  const auto writer = Begin(WriteTo("out"));
  REQUIRE(WriteTen(*writer).ok());
  const Status status = DatasetReader::Open(storage, "out").status();
  CHECK(status.code() == Code::kNotFound);
  CHECK_THAT(status.message(), Contains("not a dataset yet: a program is "
                                        "writing samples into this folder"));
  for (const auto& [name, contents] : TakeSnapshot(storage, "out")) {
    CHECK(name.starts_with(".pack/"));
  }
}

TEST_CASE_METHOD(World, "DatasetWriter shares its folder with nobody",
                 "[pack][writer]") {
  const auto writer = Begin(WriteTo("out"));
  CHECK(Refused(WriteTo("out")).code() == Code::kAlreadyExists);
  PutTree(storage, "tree", 2, 3, 100);
  CHECK(Pack(PackOf("tree", "out"), {.storage = &storage}).status().code() ==
        Code::kAlreadyExists);
  // A folder that another command holds is refused, too.
  const auto lock = FolderLock::Take(storage, "held");
  REQUIRE(lock.ok());
  CHECK(Refused(WriteTo("held")).code() == Code::kAlreadyExists);
  REQUIRE(WriteTen(*writer).ok());
  CHECK(writer->Finish().ok());
}

TEST_CASE_METHOD(World, "DatasetWriter writes over nothing that is there",
                 "[pack][writer]") {
  const auto writer = Begin(WriteTo("out"));
  REQUIRE(WriteTen(*writer).ok());
  REQUIRE(writer->Finish().ok());
  const Snapshot before = TakeSnapshot(storage, "out");
  const Status again = Refused(WriteTo("out"));
  CHECK(again.code() == Code::kAlreadyExists);
  CHECK_THAT(again.message(), Contains("already holds a dataset"));
  CHECK(TakeSnapshot(storage, "out") == before);
  storage.Put("notes/mine.txt", "x");
  CHECK_THAT(Refused(WriteTo("notes")).message(), Contains("new or empty"));
  CHECK(TakeSnapshot(storage, "notes").size() == 1);
  storage.Put("file", "x");
  CHECK(Refused(WriteTo("file")).code() == Code::kInvalidArgument);
}

TEST_CASE_METHOD(World, "DatasetWriter takes no folder over for its journal",
                 "[pack][writer]") {
  // Cut by a crash, so never in force; and the file is nobody's.
  storage.Put("out/.pack/journal", "shardine jour");
  storage.Put("out/mine.txt", "x");
  CHECK(Refused(WriteTo("out")).code() == Code::kAlreadyExists);
  CHECK(TakeSnapshot(storage, "out") == Snapshot{{"mine.txt", "x"}});
  // Another command's work is told from a writer's.
  PutTree(storage, "tree", 3, 4, 100);
  REQUIRE(StopAfterFirstShard(storage, PackOf("tree", "packed")).code() ==
          Code::kCancelled);
  const Status refused = Refused(WriteTo("packed"));
  CHECK(refused.code() == Code::kChanged);
  CHECK_THAT(refused.message(), Contains("unfinished work in this folder is"));
}

TEST_CASE_METHOD(World, "DatasetWriter removes no file that came meanwhile",
                 "[pack][writer]") {
  auto writer = Begin(WriteTo("out"));
  REQUIRE(WriteTen(*writer).ok());
  storage.Put("out/val-00000-of-00001.rec", "somebody's");
  storage.Put("out/shardine.json", "somebody's, too");
  const Status status = writer->Finish().status();
  CHECK(status.code() == Code::kAlreadyExists);
  CHECK(status.where().path == "out/val-00000-of-00001.rec");
  writer.reset();
  CHECK(TakeSnapshot(storage, "out").size() == 2);
}

// Concurrency review 1.
TEST_CASE_METHOD(World, "DatasetWriter removes no manifest of another's",
                 "[pack][writer][promise]") {
  auto writer = Begin(WriteTo("out"));
  REQUIRE(WriteTen(*writer).ok());
  storage.Put("out/shardine.json", "somebody's");
  const Status status = writer->Finish().status();
  CHECK(status.code() == Code::kAlreadyExists);
  CHECK(status.where().path == "out/shardine.json");
  CHECK(*storage.Get("out/shardine.json") == "somebody's");
  writer.reset();
  CHECK(TakeSnapshot(storage, "out").size() == 1);
}

TEST_CASE_METHOD(World, "DatasetWriter finishes once the way is free (A7)",
                 "[pack][writer][promise]") {
  const std::string in_the_way = GENERATE(
      as<std::string>{}, "out/val-00000-of-00001.rec", "out/shardine.json",
      "out/.shardine/train-00000-of-00002.rec.sdx");
  const auto whole = Begin(WriteTo("whole"));
  REQUIRE(WriteTen(*whole).ok());
  REQUIRE(whole->Finish().ok());
  const auto writer = Begin(WriteTo("out"));
  REQUIRE(WriteTen(*writer).ok());
  storage.Put(in_the_way, "somebody's");
  CHECK(writer->Finish().status().code() == Code::kAlreadyExists);
  CHECK(writer->Finish().status().where().path == in_the_way);
  CHECK(writer->can_finish());
  REQUIRE(storage.Remove(in_the_way).ok());
  REQUIRE(writer->Finish().status().ToString() == "OK");
  CHECK_FALSE(writer->can_finish());
  CHECK((TakeSnapshot(storage, "out") == TakeSnapshot(storage, "whole")));
}

TEST_CASE_METHOD(World, "A dataset that was written converts as a packed one",
                 "[pack][writer][convert]") {
  const auto writer = Begin(WriteTo("out"));
  REQUIRE(WriteTen(*writer).ok());
  const auto written = writer->Finish();
  ConvertOptions options;
  options.input = "out";
  options.output = "there";
  options.format = "webdataset";
  const auto converted = Convert(options, {.storage = &storage});
  REQUIRE(converted.status().ToString() == "OK");
  CHECK(converted->content_digest == written->content_digest);
  CheckSound("there");
}

TEST_CASE("A dataset written on the disk opens as any other",
          "[pack][writer]") {
  const TempDirectory directory;
  auto writer = DatasetWriter::Create(WriteTo(directory / "out"));
  REQUIRE(writer.status().ToString() == "OK");
  REQUIRE(WriteTen(**writer).ok());
  REQUIRE((*writer)->Finish().ok());
  const auto dataset = Dataset::Open(directory / "out", {.split = "val"});
  REQUIRE(dataset.status().ToString() == "OK");
  REQUIRE((*dataset)->size() == 3);
  const auto sample = (*dataset)->Read(1);
  REQUIRE(sample.ok());
  CHECK(sample->key == "s4");
  CHECK(sample->id == 5);
  CHECK(AsText(sample->image()) == NoiseBytes(102, 5));
}

TEST_CASE_METHOD(World, "DatasetWriter finds entry points of images",
                 "[pack][writer]") {
  PutImages(storage, "tree");
  DatasetWriterOptions options = WriteTo("out");
  options.check = ImageCheckLevel::kDecode;
  const auto writer = Begin(options);
  for (const auto& [name, image] : TakeSnapshot(storage, "tree")) {
    const FieldView field{.name = kImageField, .bytes = AsBytes(image)};
    REQUIRE(writer->Append({.key = name, .fields = {&field, 1}}).ok());
  }
  const auto result = writer->Finish();
  REQUIRE(result.status().ToString() == "OK");
  CHECK(result->samples == kImages);
  CHECK(result->entry_points.images > 0);
  CheckSound("out");
}

TEST_CASE_METHOD(World, "DatasetWriter counts the samples of its classes",
                 "[pack][writer]") {
  DatasetWriterOptions options = WriteTo("out");
  options.classes = {{"dog", 3, "a dog"}, {"cat", 1}};
  const auto writer = Begin(options);
  REQUIRE(WriteTen(*writer).ok());
  const auto result = writer->Finish();
  REQUIRE(result.ok());
  CHECK(result->classes == 2);
  const auto manifest = ReadManifest(storage, "out");
  REQUIRE(manifest.ok());
  CHECK(manifest->classes ==
        ClassMap{{"cat", 1, 0, ""}, {"dog", 3, 10, "a dog"}});
}

TEST_CASE_METHOD(World, "DatasetWriter refuses classes that are not one each",
                 "[pack][writer]") {
  DatasetWriterOptions options = WriteTo("out");
  const std::vector<std::vector<NewClass>> wrong = {
      {{"a", 1}, {"a", 2}}, {{"a", 1}, {"b", 1}}, {{"", 1}}};
  for (const auto& classes : wrong) {
    options.classes = classes;
    CHECK(Refused(options).code() == Code::kInvalidArgument);
  }
  options = WriteTo("");
  CHECK(Refused(options).code() == Code::kInvalidArgument);
  options = WriteTo("out");
  options.shard_bytes = 0;
  CHECK(Refused(options).code() == Code::kInvalidArgument);
  options = WriteTo("out");
  options.format = "floppy";
  CHECK(Refused(options).code() == Code::kInvalidArgument);
  CHECK_FALSE(storage.Stat("out").ok());
}

// The fault of a sample, and its message.
struct Wrong {
  NewSample sample;
  Code code;
  const char* message;
};

TEST_CASE_METHOD(World, "DatasetWriter refuses what is no sample by its key",
                 "[pack][writer]") {
  const std::string bytes = "12345678";
  const Label label(9);
  const std::uint64_t three = 3;
  const FieldView array{.name = "x",
                        .dtype = "<f4",
                        .shape = {&three, 1},
                        .bytes = AsBytes(bytes)};
  const FieldView odd{.name = "x", .dtype = "object", .bytes = AsBytes(bytes)};
  const FieldView fine{.name = kImageField, .bytes = AsBytes(bytes)};
  const std::vector<FieldView> twins = {fine, fine};
  const FieldView unnamed{.name = "", .bytes = AsBytes(bytes)};
  const std::string long_key(65536, 'k');
  const Wrong all[] = {
      {{.key = ""}, Code::kInvalidArgument, "needs a key"},
      {{.key = long_key}, Code::kInvalidArgument, "65536 bytes"},
      {{.key = "k", .split = "../x"}, Code::kInvalidArgument, "split's name"},
      {{.key = "k", .split = ""}, Code::kInvalidArgument, "split's name"},
      {{.key = "k", .id = 7}, Code::kInvalidArgument, "has an id"},
      {{.key = "k", .labels = {&label, 1}},
       Code::kInvalidArgument,
       "label 9 is none of the classes'"},
      {{.key = "k", .fields = {&array, 1}}, Code::kInvalidArgument, "x"},
      {{.key = "k", .fields = {&odd, 1}}, Code::kInvalidArgument, "x"},
      {{.key = "k", .fields = twins}, Code::kInvalidArgument, "two fields"},
      {{.key = "k", .fields = {&unnamed, 1}}, Code::kInvalidArgument, "name"},
      {{.key = "first"}, Code::kUnsupported, "needs an image"},
      {{.key = "first", .fields = {&fine, 1}},
       Code::kInvalidArgument,
       "has a sample of this key already"},
  };
  for (const Wrong& wrong : all) {
    INFO(wrong.message);
    DatasetWriterOptions options = WriteTo("out");
    options.classes = {{"c", 3}};
    const auto writer = Begin(options);
    REQUIRE(AppendNoise(*writer, "first").ok());
    const Status refused = writer->Append(wrong.sample);
    CHECK(refused.code() == wrong.code);
    CHECK_THAT(refused.message(), Contains(wrong.message));
    CHECK(refused.where().key == std::string(*wrong.sample.key));
    // From now on the answer is the same, and nothing is left.
    CHECK(AppendNoise(*writer, "fine").ToString() == refused.ToString());
    CHECK(writer->Finish().status().ToString() == refused.ToString());
    CHECK_FALSE(storage.Stat("out").ok());
  }
}

TEST_CASE_METHOD(World, "DatasetWriter refuses bad images where they are asked",
                 "[pack][writer]") {
  DatasetWriterOptions options = WriteTo("out");
  options.check = ImageCheckLevel::kHeader;
  const auto writer = Begin(options);
  const Status status = AppendNoise(*writer, "k");
  CHECK(status.code() == Code::kCorrupt);
  CHECK(status.where().key == "k");
}

TEST_CASE_METHOD(World, "DatasetWriter refuses a dataset without samples",
                 "[pack][writer]") {
  const auto writer = Begin(WriteTo("out"));
  CHECK_THAT(writer->Finish().status().message(),
             Contains("no samples were appended"));
  CHECK_FALSE(storage.Stat("out").ok());
}

TEST_CASE_METHOD(World, "DatasetWriter finds a key again in another shard",
                 "[pack][writer]") {
  const auto writer = Begin(WriteTo("out"));
  for (int i = 0; i < 6; ++i) {
    REQUIRE(AppendNoise(*writer, "k" + std::to_string(i)).ok());
    REQUIRE(AppendNoise(*writer, "k" + std::to_string(i), "val").ok());
  }
  REQUIRE(AppendNoise(*writer, "k1").ok());
  const Status status = writer->Finish().status();
  CHECK(status.code() == Code::kInvalidArgument);
  CHECK(status.message() ==
        "sample 1 of split train and sample 6 of split train both have this "
        "key");
  CHECK(status.where().key == "k1");
  CHECK_FALSE(storage.Stat("out").ok());
}

TEST_CASE_METHOD(World, "DatasetWriter keeps ids and refuses one twice",
                 "[pack][writer]") {
  for (const bool twice : {false, true}) {
    const std::string output = twice ? "again" : "out";
    const auto writer = Begin(WriteTo(output));
    const FieldView field{.name = kImageField};
    for (std::uint64_t i = 0; i < 6; ++i) {
      const std::string key = "k" + std::to_string(i);
      const std::uint64_t id = twice && i == 5 ? 100 : 100 - i;
      REQUIRE(
          writer->Append({.key = key, .id = id, .fields = {&field, 1}}).ok());
    }
    const auto result = writer->Finish();
    CHECK(result.ok() != twice);
    if (twice) {
      CHECK_THAT(result.status().message(), Contains("both have id 100"));
      continue;
    }
    const auto index =
        ShardIndex::Open(storage, "out/.shardine/train-00001-of-00002.rec.sdx");
    REQUIRE(index.ok());
    CHECK((*index)->Entry(0)->id == 96);
  }
}

TEST_CASE_METHOD(World, "DatasetWriter ends when it is asked to stop",
                 "[pack][writer]") {
  std::stop_source stop;
  auto writer = DatasetWriter::Create(
      WriteTo("out"), {.stop = stop.get_token(), .storage = &storage});
  REQUIRE(writer.ok());
  REQUIRE(AppendNoise(**writer, "a").ok());
  stop.request_stop();
  CHECK(AppendNoise(**writer, "b").code() == Code::kCancelled);
  CHECK((*writer)->Finish().status().code() == Code::kCancelled);
  CHECK_FALSE(storage.Stat("out").ok());
}

TEST_CASE_METHOD(World, "DatasetWriter has a bound for its splits",
                 "[pack][writer]") {
  const auto writer = Begin(WriteTo("out"));
  for (int i = 0; i < 64; ++i) {
    REQUIRE(AppendNoise(*writer, "k", "s" + std::to_string(i)).ok());
  }
  CHECK_THAT(AppendNoise(*writer, "k", "one-more").message(),
             Contains("more than 64 splits"));
}

}  // namespace
}  // namespace shardine::dataset_writer_test
