// Splits that keep groups together: packed, converted, merged and verified.
#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "dataset/dataset_reader.h"
#include "dataset/index_walk.h"
#include "dataset/split_promises.h"
#include "shardine/convert.h"
#include "shardine/pack.h"
#include "shardine/verify.h"
#include "support/dataset_checks.h"
#include "support/jpeg_maker.h"
#include "support/pack_fixture.h"

namespace shardine::group_splits_test {
namespace {

const std::vector<SourceOptions::SplitShare> kShares = {{"train", 0.6},
                                                        {"val", 0.4}};
constexpr char kPatient[] = "/(p\\d)";

// Five patients, whose images are in both classes.
PackOptions PackOfPatients(MemoryStorage& storage) {
  for (int i = 0; i < 40; ++i) {
    const auto n = static_cast<std::uint64_t>(i);
    storage.Put("tree/c" + std::to_string(i % 2) + "/p" +
                    std::to_string(i * i * i % 11 % 5) + "-" +
                    std::to_string(i) + ".jpg",
                NoiseBytes(100 + n, n));
  }
  PackOptions options = PackOf("tree", "out");
  options.source.split_shares = kShares;
  options.source.split_rule = {.stratify = true, .group_by = kPatient};
  return options;
}

PackResult Made(const Result<PackResult>& made) {
  REQUIRE(made.status().ToString() == "OK");
  return *made;
}

std::vector<std::string> Findings(MemoryStorage& storage,
                                  const std::string& dataset,
                                  VerifyLevel level = VerifyLevel::kFull) {
  VerifyOptions options;
  options.target = dataset;
  options.level = level;
  const auto verified = Verify(options, {.storage = &storage});
  REQUIRE(verified.status().ToString() == "OK");
  std::vector<std::string> findings;
  for (const Status& finding : verified->findings) {
    CHECK(finding.code() == Code::kCorrupt);
    findings.push_back(finding.message());
  }
  return findings;
}

// The splits of each patient.
std::map<std::string, std::set<std::string>> SplitsByPatient(
    MemoryStorage& storage, const std::string& dataset) {
  std::map<std::string, std::set<std::string>> splits;
  const auto reader = DatasetReader::Open(storage, dataset);
  REQUIRE(reader.ok());
  for (const DatasetReader::ShardRef& shard : (*reader)->shards()) {
    const auto index = (*reader)->OpenIndex(shard);
    REQUIRE(index.ok());
    REQUIRE(WalkIndex(**index, [&](std::uint64_t, const IndexEntry&,
                                   const std::string& key) {
              splits[key.substr(key.find("/p") + 1, 2)].insert(
                  shard.split->name);
              return Status();
            }).ok());
  }
  return splits;
}

void CheckApart(MemoryStorage& storage, const std::string& dataset) {
  const auto splits = SplitsByPatient(storage, dataset);
  CHECK(splits.size() == 5);
  for (const auto& [patient, of_patient] : splits) {
    INFO(patient);
    CHECK(of_patient.size() == 1);
  }
  CHECK(Findings(storage, dataset).empty());
  CHECK(ManifestOf(storage, dataset).made.options.at("group-by") == kPatient);
}

TEST_CASE("A pack of groups is the same by any threads and after a kill",
          "[pack][group]") {
  MemoryStorage storage;
  PackOptions options = PackOfPatients(storage);
  const PackResult packed = Made(Pack(options, {.storage = &storage}));
  REQUIRE(packed.warnings.size() == 1);
  CHECK(packed.warnings[0].starts_with("groups: 5, each in one split; train"));
  CheckApart(storage, "out");
  const Snapshot wanted = TakeSnapshot(storage, "out");
  CHECK(Made(Pack(options, {.storage = &storage})).nothing_to_do);
  options.output = "other";
  options.threads = 5;
  Made(Pack(options, {.storage = &storage}));
  CHECK((TakeSnapshot(storage, "other") == wanted));
  options.output = "killed";
  CHECK(StopAfterFirstShard(storage, options).code() == Code::kCancelled);
  CHECK(Made(Pack(options, {.storage = &storage})).shards_reused > 0);
  CHECK((TakeSnapshot(storage, "killed") == wanted));
}

TEST_CASE("Splits of groups are cut of what is packed, and by a merge",
          "[pack][group]") {
  MemoryStorage storage;
  PackOptions pack = PackOfPatients(storage);
  pack.source.split_shares.clear();
  pack.source.split_rule = {};
  Made(Pack(pack, {.storage = &storage}));
  ConvertOptions convert;
  convert.input = "out";
  convert.output = "cut";
  convert.split_shares = kShares;
  convert.split_rule.group_by = kPatient;
  const PackResult cut = Made(Convert(convert, {.storage = &storage}));
  CHECK_THAT(cut.warnings.back(),
             Catch::StartsWith("groups: 5, each in one split; train has 0."));
  CheckApart(storage, "cut");
  MergeOptions merge;
  merge.inputs = {"out", "out"};
  merge.output = "both";
  merge.key_prefix = "{n}";
  merge.split_shares = kShares;
  merge.split_rule.group_by = kPatient;
  Made(Merge(merge, {.storage = &storage}));
  CheckApart(storage, "both");
  merge.split_shares.clear();
  merge.output = "no";
  CHECK(Merge(merge, {.storage = &storage}).status().code() ==
        Code::kInvalidArgument);
}

// The splits of each content, of a tree in which each photo lies twice, under
// another label.
std::set<std::string> ContentsInTwoSplits(MemoryStorage& storage,
                                          const std::string& dataset) {
  std::map<std::string, std::set<std::string>> splits;
  const auto reader = DatasetReader::Open(storage, dataset);
  REQUIRE(reader.ok());
  for (const DatasetReader::ShardRef& shard : (*reader)->shards()) {
    const auto index = (*reader)->OpenIndex(shard);
    REQUIRE(index.ok());
    REQUIRE(WalkIndex(**index, [&](std::uint64_t, const IndexEntry&,
                                   const std::string& key) {
              splits[key.substr(key.find('/') + 1)].insert(shard.split->name);
              return Status();
            }).ok());
  }
  std::set<std::string> found;
  for (const auto& [name, of_name] : splits) {
    if (of_name.size() > 1) found.insert(name);
  }
  return found;
}

TEST_CASE("Copies are in one split, of files and of what is packed",
          "[pack][group]") {
  MemoryStorage storage;
  for (int i = 0; i < 60; ++i) {
    for (const char* label : {"a/", "b/"}) {
      // Images have four sizes, so that most are candidates.
      storage.Put("tree/" + (label + std::to_string(i)) + ".jpg",
                  NoiseBytes(5000 + static_cast<std::size_t>(i % 4),
                             static_cast<std::uint64_t>(i)));
    }
  }
  PackOptions options = PackOf("tree", "out");
  options.source.split_shares = kShares;
  Made(Pack(options, {.storage = &storage}));
  CHECK(ContentsInTwoSplits(storage, "out").size() > 20);
  options.output = "apart";
  options.source.split_rule.dedup_groups = true;
  const PackResult packed = Made(Pack(options, {.storage = &storage}));
  CHECK(ContentsInTwoSplits(storage, "apart").empty());
  CHECK_THAT(packed.warnings.back(),
             Catch::Contains("train has 0.6 of the samples") &&
                 Catch::EndsWith("; 120 samples have the image of another"));
  CHECK(ManifestOf(storage, "apart").made.options.count("dedup-groups") == 1);
  options.output = "whole";
  options.source.split_shares.clear();
  options.source.split_rule = {};
  for (const std::string format : {"webdataset", "recordio", "lmdb"}) {
    options.format = format;
    options.output = "whole-" + format;
    Made(Pack(options, {.storage = &storage}));
    ConvertOptions convert;
    convert.input = options.output;
    convert.output = "cut-" + format;
    convert.split_shares = kShares;
    convert.split_rule.dedup_groups = true;
    const PackResult cut = Made(Convert(convert, {.storage = &storage}));
    CHECK(ContentsInTwoSplits(storage, convert.output).empty());
    CHECK(ManifestOf(storage, convert.output).binding_digest() ==
          ManifestOf(storage, "apart").binding_digest());
  }
}

TEST_CASE("Verify finds groups that lie in two splits", "[verify][group]") {
  MemoryStorage storage;
  PackOptions options = PackOfPatients(storage);
  options.source.split_rule = {};
  Made(Pack(options, {.storage = &storage}));
  CHECK(Findings(storage, "out").empty());
  const Manifest plain = ManifestOf(storage, "out");
  const auto findings_by = [&](const std::string& rule) {
    Manifest forged = plain;
    forged.made.options["group-by"] = rule;
    REQUIRE(WriteManifest(storage, "out", forged).ok());
    CHECK(Findings(storage, "out", VerifyLevel::kQuick).empty());
    return Findings(storage, "out");
  };
  std::size_t cut = 0;
  for (const auto& [patient, splits] : SplitsByPatient(storage, "out")) {
    cut += splits.size() > 1 ? 1 : 0;
  }
  REQUIRE(cut > 0);
  const auto findings = findings_by(kPatient);
  CHECK(findings.size() == cut);
  for (const std::string& finding : findings) {
    CHECK_THAT(finding,
               Catch::Matches("group \"(p\\d)\" lies in two splits: key "
                              "\"c\\d/\\1-\\d+\\.jpg\" in train, "
                              "\"c\\d/\\1-\\d+\\.jpg\" in val"));
  }
  // All keys are one group, which is found once.
  CHECK(findings_by("(c)").size() == 1);
  // Each is one of its own.
  CHECK(findings_by("(.*)").empty());
  CHECK(findings_by("-(\\d)\\.").back() ==
        "20 more groups lie in two splits, or keys in none");
  CHECK(findings_by("(").size() == 1);
}

// The patients of PackOfPatients() in a column, as text or as numbers.
PackOptions PackOfColumns(MemoryStorage& storage, const std::string& format) {
  PackOptions options = PackOfPatients(storage);
  std::string list = "path,label,group,patient\n";
  for (int i = 0; i < 40; ++i) {
    const std::string group = std::to_string(i * i * i % 11 % 5);
    list += "c" + std::to_string(i % 2) + "/p" + group + "-" +
            std::to_string(i) + ".jpg," + std::to_string(i % 2) + "," + group +
            ",p" + group + "\n";
  }
  storage.Put("list.csv", list);
  options.source.list = "list.csv";
  options.source.split_rule = {};
  options.format = format;
  options.output = "out-" + format;
  return options;
}

TEST_CASE("Groups of a column are recorded and verified",
          "[pack][verify][group][table]") {
  const std::string format =
      GENERATE("webdataset", "tfrecord/imagenet", "tfrecord/tfds",
               "lmdb/fields", "hdf5/fuel");
  CAPTURE(format);
  MemoryStorage storage;
  PackOptions options = PackOfColumns(storage, format);
  const std::string out = options.output;
  Made(Pack(options, {.storage = &storage}));
  CHECK(SplitsByPatient(storage, out).size() == 5);
  for (const auto& [patient, splits] : SplitsByPatient(storage, out)) {
    CHECK(splits.size() == 1);
  }
  Manifest forged = ManifestOf(storage, out);
  CHECK(forged.made.options.at("group-by") == "column:group");
  CHECK(Made(Pack(options, {.storage = &storage})).nothing_to_do);
  CHECK(Findings(storage, out).empty());

  // A dataset that was cut otherwise.
  options.output = "other";
  options.source.split_rule.group_by = "-(\\d+)\\.";
  Made(Pack(options, {.storage = &storage}));
  forged = ManifestOf(storage, "other");
  std::size_t cut = 0;
  for (const auto& [patient, splits] : SplitsByPatient(storage, "other")) {
    cut += splits.size() > 1 ? 1 : 0;
  }
  REQUIRE(cut > 0);
  for (const char* column : {"group", "patient"}) {
    forged.made.options["group-by"] = std::string("column:") + column;
    REQUIRE(WriteManifest(storage, "other", forged).ok());
    const auto findings = Findings(storage, "other");
    REQUIRE(findings.size() == cut);
    CHECK_THAT(findings.front(),
               Catch::Matches("group \"p?(\\d)\" lies in two splits: key "
                              "\"c\\d/p\\1-\\d+\\.jpg\" in train, "
                              "\"c\\d/p\\1-\\d+\\.jpg\" in val"));
  }
  forged.made.options["group-by"] = "column:none";
  REQUIRE(WriteManifest(storage, "other", forged).ok());
  CHECK(Findings(storage, "other").size() == 11);
}

SplitPromises KeptOf(MemoryStorage& storage, const std::string& dataset) {
  return PromisesOf(ManifestOf(storage, dataset).made);
}

SplitPromises DroppedOf(MemoryStorage& storage, const std::string& dataset) {
  return DroppedPromisesOf(ManifestOf(storage, dataset).made);
}

bool HasWarning(const PackResult& made, const std::string& part) {
  return std::ranges::any_of(made.warnings, [&](const std::string& warning) {
    return warning.find(part) != std::string::npos;
  });
}

TEST_CASE("A conversion keeps the promise of groups, a cut drops it",
          "[pack][group]") {
  MemoryStorage storage;
  PackOptions pack = PackOfPatients(storage);
  pack.source.split_rule.dedup_groups = true;
  Made(Pack(pack, {.storage = &storage}));
  const SplitPromises all = {{"group-by", kPatient}, {"dedup-groups", ""}};
  CHECK(KeptOf(storage, "out") == all);
  ConvertOptions convert;
  convert.input = "out";
  convert.output = "same";
  convert.format = "webdataset";
  const PackResult same = Made(Convert(convert, {.storage = &storage}));
  CHECK_FALSE(HasWarning(same, "promise"));
  CHECK(KeptOf(storage, "same") == all);
  CHECK(DroppedOf(storage, "same").empty());
  // A promise of a promise holds, too, and is verified.
  convert.input = "same";
  convert.output = "again";
  Made(Convert(convert, {.storage = &storage}));
  CHECK(KeptOf(storage, "again") == all);
  CHECK(Findings(storage, "again").empty());
  Manifest forged = ManifestOf(storage, "again");
  forged.made.options["kept group-by"] = "-(\\d)\\.";
  REQUIRE(WriteManifest(storage, "again", forged).ok());
  CHECK(Findings(storage, "again").size() > 1);
  CHECK(ToString(forged.made).find("kept") == std::string::npos);

  convert.input = "out";
  convert.output = "held";
  convert.splits = {"train"};
  convert.split_shares = {{"a", 0.5}, {"b", 0.5}};
  const PackResult cut = Made(Convert(convert, {.storage = &storage}));
  CHECK(HasWarning(cut,
                   "the splits no longer promise to hold samples of a "
                   "group (/(p\\x5Cd)) together: this command cuts"));
  CHECK(KeptOf(storage, "held").empty());
  CHECK(DroppedOf(storage, "held") == all);
  convert.output = "cut";
  convert.split_rule.group_by = kPatient;
  Made(Convert(convert, {.storage = &storage}));
  CHECK(KeptOf(storage, "cut") == SplitPromises{{"group-by", kPatient}});
  CHECK(DroppedOf(storage, "cut") == SplitPromises{{"dedup-groups", ""}});
}

TEST_CASE("A merge keeps the promise of groups where it holds",
          "[pack][group]") {
  MemoryStorage storage;
  PackOptions pack = PackOfPatients(storage);
  pack.source.split_rule.dedup_groups = true;
  Made(Pack(pack, {.storage = &storage}));
  MergeOptions merge;
  merge.inputs = {"out", "out"};
  merge.output = "both";
  merge.key_prefix = "{n}";
  const PackResult both = Made(Merge(merge, {.storage = &storage}));
  CHECK(KeptOf(storage, "both") == SplitPromises{{"group-by", kPatient}});
  CHECK(DroppedOf(storage, "both") == SplitPromises{{"dedup-groups", ""}});
  CHECK(HasWarning(both, "images of the inputs were not compared"));
  CHECK(Findings(storage, "both").empty());
  VerifyOptions verify;
  verify.target = "both";
  const auto verified = Verify(verify, {.storage = &storage});
  REQUIRE(verified.ok());
  CHECK(std::ranges::find(verified->notes,
                          "an input promised images of the same bytes in one "
                          "split; this dataset does not") !=
        verified->notes.end());
  // The same patients in other splits.
  pack.source.seed = 1;
  pack.output = "other";
  for (; pack.source.seed < 50; ++pack.source.seed) {
    pack.output = "other" + std::to_string(pack.source.seed);
    Made(Pack(pack, {.storage = &storage}));
    if (SplitsByPatient(storage, pack.output) !=
        SplitsByPatient(storage, "out")) {
      break;
    }
  }
  merge.inputs = {"out", pack.output};
  merge.output = "mixed";
  const PackResult mixed = Made(Merge(merge, {.storage = &storage}));
  CHECK((HasWarning(mixed, " lies in train and val") ||
         HasWarning(mixed, " lies in val and train")));
  CHECK(KeptOf(storage, "mixed").empty());
  // One that promises nothing.
  pack.output = "plain";
  pack.source.split_rule = {};
  Made(Pack(pack, {.storage = &storage}));
  merge.inputs = {"out", "plain"};
  merge.output = "half";
  const PackResult half = Made(Merge(merge, {.storage = &storage}));
  CHECK(HasWarning(half, "plain does not promise it"));
}

TEST_CASE("Images that look alike are in one split, of files and of datasets",
          "[pack][group]") {
  MemoryStorage storage;
  for (std::uint32_t i = 0; i < 12; ++i) {
    const JpegSpec image{.width = 160, .height = 120, .seed = i};
    JpegSpec small = image;
    small.quality = 40;
    storage.Put("tree/a/" + std::to_string(i) + ".jpg", MakeJpeg(image));
    storage.Put("tree/b/" + std::to_string(i) + ".jpg", MakeJpeg(small));
  }
  storage.Put("tree/a/bad.jpg", MakeJpeg({.width = 8, .height = 8}).substr(9));
  PackOptions options = PackOf("tree", "out");
  options.check = ImageCheckLevel::kNone;
  options.source.split_shares = kShares;
  options.source.split_rule.dedup_groups = true;
  Made(Pack(options, {.storage = &storage}));
  CHECK(ContentsInTwoSplits(storage, "out").size() > 2);
  options.output = "apart";
  options.source.split_rule = {};
  options.source.split_rule.near_groups = true;
  const PackResult packed = Made(Pack(options, {.storage = &storage}));
  CHECK(ContentsInTwoSplits(storage, "apart").empty());
  CHECK(HasWarning(packed, "; 24 samples have the image of another, or one"));
  CHECK(HasWarning(packed, "compared with no other: 1 that cannot be decoded"));
  CHECK(KeptOf(storage, "apart") == SplitPromises{{"near-groups", ""}});
  options.output = "again";
  options.threads = 3;
  Made(Pack(options, {.storage = &storage}));
  CHECK((TakeSnapshot(storage, "again") == TakeSnapshot(storage, "apart")));
  options.output = "whole";
  options.source.split_shares.clear();
  options.source.split_rule = {};
  Made(Pack(options, {.storage = &storage}));
  ConvertOptions convert;
  convert.input = "whole";
  convert.output = "cut";
  convert.split_shares = kShares;
  convert.split_rule.near_groups = true;
  const PackResult cut = Made(Convert(convert, {.storage = &storage}));
  CHECK(HasWarning(cut, "compared with no other: 1 that cannot be decoded"));
  CHECK(ManifestOf(storage, "cut").binding_digest() ==
        ManifestOf(storage, "apart").binding_digest());
}

TEST_CASE("A dataset of before group-by stays nothing to do", "[pack][group]") {
  MemoryStorage storage;
  PackOptions options = PackOfPatients(storage);
  options.source.split_rule = {};
  Made(Pack(options, {.storage = &storage}));
  // The manifest equals version 0.1.0's, whatever is added to the rule.
  CHECK(ManifestOf(storage, "out").made.options.count("group-by") == 0);
  CHECK(ManifestOf(storage, "out").made.options.count("small-classes") == 0);
  CHECK(Made(Pack(options, {.storage = &storage})).nothing_to_do);
  options.source.split_rule.group_by = kPatient;
  const auto other = Pack(options, {.storage = &storage});
  CHECK(other.status().code() == Code::kChanged);
  CHECK_THAT(other.status().message(),
             Catch::Contains("group-by not given, now /(p"));
}

}  // namespace
}  // namespace shardine::group_splits_test
