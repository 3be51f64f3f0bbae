// Conversions and merges that look at images as closely as they are asked to.

#include <catch2/catch.hpp>
#include <string>

#include "dataset/rejects.h"
#include "shardine/convert.h"
#include "shardine/tasks.h"
#include "support/bad_records_fixture.h"
#include "support/task_fixture.h"

namespace shardine::pass_check_test {
namespace {

Status Run(Storage& storage, const ConvertOptions& options) {
  return Convert(options, {.storage = &storage}).status();
}

ConvertOptions With(ConvertOptions options, ImageCheckLevel check) {
  options.check = check;
  return options;
}

std::vector<Reject> RejectsIn(Storage& storage, const std::string& folder) {
  auto rejects = ReadRejects(storage, folder + "/rejected.jsonl");
  REQUIRE(rejects.status().ToString() == "OK");
  return *std::move(rejects);
}

TEST_CASE("Convert that decodes leaves out an image that is cut in its rows",
          "[convert][on-bad]") {
  for (const char* format : {"tfrecord", "hdf5", "webdataset"}) {
    INFO(format);
    MemoryStorage storage;
    PutPhotoDataset(storage, format, CutPhoto());
    const Job job{.storage = &storage};
    CHECK(Convert(Failing("unseen"), job)->samples == kBadRecordImages);
    CHECK(Convert(Skipping("header"), job)->samples == kBadRecordImages);
    const auto decode = With(Skipping("out"), ImageCheckLevel::kDecode);
    const auto left = Convert(decode, job);
    REQUIRE(left.status().ToString() == "OK");
    CHECK(left->samples == kBadRecordImages - 1);
    const auto rejects = RejectsIn(storage, "out");
    REQUIRE(rejects.size() == 1);
    CHECK(rejects[0].key == PhotoKey(5));
    CHECK(rejects[0].reason.starts_with("decode-"));
    CHECK(rejects[0].record == 5u);
    CHECK(ManifestOf(storage, "out").made.options.at("check") == "decode");
    CHECK(Convert(decode, job)->nothing_to_do);
    CHECK(Run(storage, Skipping("out")).code() == Code::kChanged);
    CHECK(Run(storage, Failing("out")).code() == Code::kChanged);
    // The image was not looked at so closely where it passed.
    for (const char* passed : {"unseen", "header"}) {
      CHECK_THAT(Run(storage, With(Skipping(passed), ImageCheckLevel::kDecode))
                     .message(),
                 Catch::Contains("weaker check"));
    }
    const Status failed =
        Run(storage, With(Failing("no"), ImageCheckLevel::kDecode));
    CHECK(failed.code() == Code::kCorrupt);
    CHECK(failed.where().key == PhotoKey(5));
  }
}

TEST_CASE("A closer check that found nothing holds under any other",
          "[convert][on-bad]") {
  MemoryStorage storage;
  PutPhotoDataset(storage, "recordio");
  const Job job{.storage = &storage};
  REQUIRE(Run(storage, With(Failing("out"), ImageCheckLevel::kDecode)).ok());
  CHECK(ManifestOf(storage, "out").made.options.at("check") == "decode");
  CHECK(Convert(Failing("out"), job)->nothing_to_do);
  CHECK(Convert(Skipping("out"), job)->nothing_to_do);
  CHECK(Convert(With(Skipping("out"), ImageCheckLevel::kDecode), job)
            ->nothing_to_do);
  // The bytes are those of a conversion that looks at no image.
  REQUIRE(Run(storage, Failing("plain")).ok());
  CHECK(ManifestOf(storage, "plain").made.options.count("check") == 0);
  CHECK(ManifestOf(storage, "plain").content_digest() ==
        ManifestOf(storage, "out").content_digest());
}

TEST_CASE("Checks of headers can be asked for, and left away",
          "[convert][on-bad]") {
  MemoryStorage storage;
  PutPhotoDataset(storage, "tfrecord", "no image");
  const Job job{.storage = &storage};
  CHECK(Run(storage, With(Failing("no"), ImageCheckLevel::kHeader)).code() ==
        Code::kCorrupt);
  const auto kept =
      Convert(With(Skipping("kept"), ImageCheckLevel::kNone), job);
  REQUIRE(kept.status().ToString() == "OK");
  CHECK(kept->samples == kBadRecordImages);
  CHECK(ManifestOf(storage, "kept").made.options.at("check") == "none");
  ConvertOptions pixels = With(Failing("no"), ImageCheckLevel::kHeader);
  pixels.pixels = PixelOrder::kRgb;
  pixels.format = "tfrecord";
  pixels.limit = 1;
  CHECK(Run(storage, pixels).message() ==
        "check: images that become arrays are decoded");
}

TEST_CASE("Merge decodes images where that is asked for", "[merge][on-bad]") {
  MemoryStorage storage;
  PutPhotoDataset(storage, "tfrecord", CutPhoto());
  const Job job{.storage = &storage};
  MergeOptions merge;
  merge.inputs = {"in", "in"};
  merge.output = "both";
  merge.key_prefix = "{n}/";
  merge.on_bad = OnBad::kSkip;
  merge.check = ImageCheckLevel::kDecode;
  const auto merged = Merge(merge, job);
  REQUIRE(merged.status().ToString() == "OK");
  CHECK(merged->samples == 2 * kBadRecordImages - 2);
  CHECK(RejectsIn(storage, "both").size() == 2);
  CHECK(Merge(merge, job)->nothing_to_do);
  merge.check.reset();
  CHECK(Merge(merge, job).status().code() == Code::kChanged);
}

TEST_CASE("Tasks of a conversion decode what the conversion decodes",
          "[convert][tasks][on-bad]") {
  MemoryStorage storage;
  PutPhotoDataset(storage, "tfrecord", CutPhoto());
  REQUIRE(Run(storage, With(Skipping("whole"), ImageCheckLevel::kDecode)).ok());
  ConvertTaskOptions options;
  options.convert = With(Skipping("out"), ImageCheckLevel::kDecode);
  options.plan = kPlan;
  options.task_bytes = 1;
  REQUIRE(PlanConvertTasks(options, {.storage = &storage}).ok());
  REQUIRE(RunSome(storage, {1, 0}).ToString() == "OK");
  REQUIRE(FinalizeAll(storage).ToString() == "OK");
  CHECK((TakeSnapshot(storage, "out") == TakeSnapshot(storage, "whole")));
}

}  // namespace
}  // namespace shardine::pass_check_test
