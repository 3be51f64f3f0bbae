// Conversions of some samples, some fields and other labels.

#include <catch2/catch.hpp>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "dataset/dataset_reader.h"
#include "dataset/dataset_samples.h"
#include "shardine/convert.h"
#include "shardine/dataset_writer.h"
#include "shardine/diff.h"
#include "shardine/format.h"
#include "support/dataset_checks.h"
#include "support/fault_storage.h"
#include "support/pack_fixture.h"
#include "unit/pack/convert_fixture.h"

namespace shardine::convert_choice_test {
namespace {

constexpr int kSamples = 40;

std::string ImageOf(int i) {
  return NoiseBytes(50 + static_cast<std::size_t>(i) * 7,
                    static_cast<std::uint64_t>(i));
}

// "in": forty samples of four classes, the last ten in val; each has an image
// and an array "boxes", every other one a text "note".
void PutDataset(Storage& storage, const std::string& format = "tfrecord") {
  DatasetWriterOptions options;
  options.output = "in";
  options.format = format;
  options.shard_samples = 7;
  options.check = ImageCheckLevel::kNone;
  options.classes = {
      {"ant", 0, ""}, {"bee", 1, ""}, {"cow", 2, ""}, {"doe", 3, ""}};
  const auto writer = DatasetWriter::Create(options, {.storage = &storage});
  REQUIRE(writer.status().ToString() == "OK");
  const std::uint64_t shape[] = {2};
  for (int i = 0; i < kSamples; ++i) {
    const std::string image = ImageOf(i);
    const std::string boxes(16, static_cast<char>('a' + i % 20));
    const std::string note = "note " + std::to_string(i);
    std::vector<FieldView> fields = {
        {"boxes", "<f8", shape, AsBytes(boxes)},
        {kImageField, kBytesDtype, {}, AsBytes(image)}};
    if (i % 2 == 0) fields.push_back({"note", kBytesDtype, {}, AsBytes(note)});
    const Label label(i % 4);
    const std::string key = "n" + std::to_string(i);
    const Status appended =
        (*writer)->Append({.key = key,
                           .labels = {&label, 1},
                           .fields = fields,
                           .split = i < 30 ? "train" : "val"});
    REQUIRE(appended.ToString() == "OK");
  }
  REQUIRE((*writer)->Finish().status().ToString() == "OK");
}

// "train n3 3 boxes image".
std::vector<std::string> Listed(Storage& storage, const std::string& folder) {
  std::vector<std::string> lines;
  DatasetSamples samples(storage, BuiltinFormats());
  REQUIRE(samples.Add(folder).ok());
  const Status listed = samples.List(
      [&](const DatasetSamples::Shard& shard, const IndexEntry& entry,
          const std::string& key) -> Result<bool> {
        std::string line = shard.ref->split->name + " " + key;
        for (const Label& label : entry.labels) line += " " + label.ToString();
        for (const IndexField& field : entry.fields) line += " " + field.name;
        lines.push_back(line);
        return true;
      });
  REQUIRE(listed.ToString() == "OK");
  return lines;
}

std::map<std::string, std::uint64_t> Ignored(const PackResult& result) {
  std::map<std::string, std::uint64_t> counts;
  for (const RejectedCount& count : result.ignored) {
    counts[count.reason] = count.count;
  }
  return counts;
}

TEST_CASE(
    "Convert takes the splits, samples and first few that it is asked for",
    "[convert][choice]") {
  MemoryStorage storage;
  PutDataset(storage);
  ConvertOptions options = Into("out");
  options.splits = {"train"};
  options.where = "label < 2 and key !~ '*5'";
  options.limit = 4;
  const auto converted = Run(storage, options);
  REQUIRE(converted.status().ToString() == "OK");
  CHECK(Listed(storage, "out") ==
        std::vector<std::string>{
            "train n0 0 boxes image note", "train n1 1 boxes image",
            "train n4 0 boxes image note", "train n8 0 boxes image note"});
  // 30 of train: 16 of classes 0 and 1, without 5 and 25, which are of class 1.
  CHECK(Ignored(*converted) ==
        std::map<std::string, std::uint64_t>{
            {"other-split", 10}, {"not-where", 16}, {"beyond-limit", 10}});
  CHECK(converted->fields_left.empty());
  const Manifest manifest = ManifestOf(storage, "out");
  CHECK(manifest.classes.size() == 4);
  CHECK(manifest.classes[0].count == 3);
  CHECK(manifest.classes[3].count == 0);
  CHECK(manifest.made.options.at("where") == options.where);
  CHECK(manifest.made.options.at("limit") == "4");
  CHECK(manifest.made.options.at("split") == "train");
  CheckSound(storage, "out");
  // Contents are those of the input's samples.
  const auto diff = Diff("in", "out", [](const auto&) { return Status(); },
                         {.storage = &storage});
  REQUIRE(diff.ok());
  CHECK(diff->same == 4);
  CHECK(diff->removed == 36);
  CHECK(diff->changed == 0);

  options = Into("each");
  options.limit = 3;
  REQUIRE(Run(storage, options).ok());
  CHECK(Listed(storage, "each").size() == 6);
}

TEST_CASE("Convert of some samples reads those, whatever is between them",
          "[convert][choice]") {
  MemoryStorage storage;
  PutDataset(storage);
  ConvertOptions options = Into("out");
  options.where = "id in (0, 1, 2, 6, 7, 13, 20, 21, 39)";
  for (const bool reshuffled : {false, true}) {
    if (reshuffled) options.reshuffle = 5;
    options.output = reshuffled ? "other" : "out";
    REQUIRE(Run(storage, options).status().ToString() == "OK");
    const auto diff =
        Diff("in", options.output, [](const auto&) { return Status(); },
             {.storage = &storage});
    REQUIRE(diff.ok());
    CHECK(diff->same == 9);
    CHECK(diff->removed == 31);
    CheckSound(storage, options.output);
  }
}

TEST_CASE("Convert refuses to choose nothing or what is not there",
          "[convert][choice]") {
  MemoryStorage storage;
  PutDataset(storage);
  const auto refused = [&](const ConvertOptions& options) {
    const Status status = Run(storage, options).status();
    CHECK(status.code() == Code::kInvalidArgument);
    CHECK_FALSE(storage.Stat("out").ok());
    return status.message();
  };
  ConvertOptions options = Into("out");
  options.where = "label = 9";
  CHECK_THAT(refused(options), Catch::Contains("none of its samples"));
  options = Into("out");
  options.splits = {"train", "test"};
  CHECK_THAT(refused(options), Catch::Contains("there are: train, val"));
  options = Into("out");
  options.fields = {"boxes", "masks"};
  CHECK_THAT(refused(options), Catch::Contains("\"masks\"; there are: note"));
}

TEST_CASE("Convert leaves fields out, counts them and says so in a diff",
          "[convert][choice]") {
  MemoryStorage storage;
  PutDataset(storage);
  ConvertOptions options = Into("out");
  options.format = "recordio";
  const Status refused = Run(storage, options).status();
  CHECK(refused.code() == Code::kUnsupported);
  CHECK_THAT(refused.message(), Catch::Contains("beside the image"));

  options.fields.emplace();
  const auto converted = Run(storage, options);
  REQUIRE(converted.status().ToString() == "OK");
  CHECK(converted->fields_left ==
        std::vector<FieldLeft>{{"boxes", 40}, {"note", 20}});
  CHECK(Listed(storage, "out")[0] == "train n0 0 image");
  CHECK(converted->content_digest !=
        ManifestOf(storage, "in").content_digest());
  CheckSound(storage, "out");
  const auto diff = Diff("in", "out", [](const auto&) { return Status(); },
                         {.storage = &storage});
  REQUIRE(diff.ok());
  CHECK(diff->changed == 40);
  CHECK(diff->notes ==
        std::vector<std::string>{
            "the field \"boxes\", of 40 samples, is in the first alone",
            "the field \"note\", of 20 samples, is in the first alone"});
  CHECK(Run(storage, options)->nothing_to_do);
  CHECK(Run(storage, options)->fields_left == converted->fields_left);
}

// The same samples, written without the fields, are the proof of the digests.
TEST_CASE("What convert leaves is what samples without the rest are",
          "[convert][choice]") {
  for (const char* format : {"tfrecord", "webdataset", "lmdb/fields", "hdf5"}) {
    MemoryStorage storage;
    PutDataset(storage, format);
    INFO(format);
    ConvertOptions options = Into("notes");
    options.fields = {"note"};
    REQUIRE(Run(storage, options).status().ToString() == "OK");
    CHECK(Listed(storage, "notes")[2] == "train n2 2 image note");
    CheckSound(storage, "notes");
    options.input = "notes";
    options.output = "images";
    options.fields.emplace();
    REQUIRE(Run(storage, options).status().ToString() == "OK");
    options.input = "in";
    options.output = "at_once";
    REQUIRE(Run(storage, options).status().ToString() == "OK");
    CHECK(ManifestOf(storage, "images").content_digest() ==
          ManifestOf(storage, "at_once").content_digest());
    DatasetWriterOptions write;
    write.output = "written";
    write.check = ImageCheckLevel::kNone;
    const auto writer = DatasetWriter::Create(write, {.storage = &storage});
    REQUIRE(writer.ok());
    for (int i = 0; i < kSamples; ++i) {
      const std::string image = ImageOf(i);
      const FieldView field{kImageField, kBytesDtype, {}, AsBytes(image)};
      const Label label(i % 4);
      REQUIRE((*writer)
                  ->Append({.key = "n" + std::to_string(i),
                            .labels = {&label, 1},
                            .fields = {&field, 1},
                            .split = i < 30 ? "train" : "val"})
                  .ok());
    }
    CHECK((*writer)->Finish()->content_digest ==
          ManifestOf(storage, "images").content_digest());
  }
}

TEST_CASE("Convert gives other labels and the classes that go with them",
          "[convert][choice]") {
  MemoryStorage storage;
  PutDataset(storage);
  storage.Put("map", "ant 1 insect\nbee 1\n3 0\ncow -\n");
  ConvertOptions options = Into("out");
  options.label_map = "map";
  const auto converted = Run(storage, options);
  REQUIRE(converted.status().ToString() == "OK");
  CHECK(Ignored(*converted) ==
        std::map<std::string, std::uint64_t>{{"left-out-label", 10}});
  const Manifest manifest = ManifestOf(storage, "out");
  REQUIRE(manifest.classes.size() == 2);
  CHECK(manifest.classes[0] == ClassInfo{"doe", 0, 10, ""});
  CHECK(manifest.classes[1] == ClassInfo{"insect", 1, 20, ""});
  CHECK(Listed(storage, "out")[1] == "train n1 1 boxes image");
  CHECK(Listed(storage, "out")[2] == "train n3 0 boxes image");
  CheckSound(storage, "out");

  storage.Put("map", "ant 1 insect\nbee 1\n3 0\n");
  options.output = "other";
  const Status refused = Run(storage, options).status();
  CHECK(refused.code() == Code::kInvalidArgument);
  CHECK(refused.where().key == "n2");
  // A condition is about the labels that there were.
  options.where = "label != 2 and class != doe";
  REQUIRE(Run(storage, options).status().ToString() == "OK");
  CHECK(ManifestOf(storage, "other").classes[0].count == 0);
}

TEST_CASE("A conversion with another choice is another dataset",
          "[convert][choice]") {
  MemoryStorage storage;
  PutDataset(storage);
  storage.Put("map", "* 0 all\n");
  ConvertOptions options = Into("out");
  options.where = "label < 2";
  REQUIRE(Run(storage, options).ok());
  CHECK(Run(storage, options)->nothing_to_do);
  const auto changed = [&](ConvertOptions other, const std::string& says) {
    const Status status = Run(storage, other).status();
    CHECK(status.code() == Code::kChanged);
    CHECK_THAT(status.message(), Catch::Contains(says));
  };
  ConvertOptions other = options;
  other.where = "label <= 1";  // of the same samples
  changed(other, "where label < 2, now label <= 1");
  other = options;
  other.limit = 100;
  changed(other, "limit not given, now 100");
  other = options;
  other.fields.emplace();
  changed(other, "fields not given, now none");
  other = options;
  other.splits = {"train", "val"};
  changed(other, "split not given, now train,val");
  other = options;
  other.label_map = "map";
  changed(other, "label-map not given, now map");
}

TEST_CASE("A conversion of some that was killed goes on with the same alone",
          "[convert][choice]") {
  const auto options_of = [](const char* where) {
    ConvertOptions options = Into("out");
    options.where = where;
    options.fields = {"note"};
    options.threads = 1;
    return options;
  };
  const auto snapshot_of = [&](const char* where) {
    MemoryStorage storage;
    PutDataset(storage);
    REQUIRE(Run(storage, options_of(where)).status().ToString() == "OK");
    return TakeSnapshot(storage, "out");
  };
  const Snapshot first = snapshot_of("label < 2");
  const Snapshot other = snapshot_of("label <= 2");
  int unfinished = 0;
  for (std::uint64_t call = 40;; call += 29) {
    MemoryStorage below;
    PutDataset(below);
    FaultStorage storage(below,
                         {.call = call, .effect = Fault::Effect::kCrash});
    const bool done = Run(storage, options_of("label < 2")).ok();
    if (!storage.struck()) break;
    unfinished += done || below.Stat("out/shardine.json").ok() ? 0 : 1;
    INFO(call);
    // Another choice goes on with nothing of it: it is refused, or begins where
    // nothing was begun.
    const Status others = Run(below, options_of("label <= 2")).status();
    if (others.ok()) {
      CHECK((TakeSnapshot(below, "out") == other));
      continue;
    }
    CHECK(others.code() == Code::kChanged);
    CHECK_THAT(others.message(), Catch::Contains("label <= 2"));
    REQUIRE(Run(below, options_of("label < 2")).status().ToString() == "OK");
    CHECK((TakeSnapshot(below, "out") == first));
  }
  CHECK(unfinished > 3);
}

}  // namespace
}  // namespace shardine::convert_choice_test
