// Extractions that look at images as closely as they are asked to.

#include <catch2/catch.hpp>

#include "dataset/rejects.h"
#include "shardine/extract.h"
#include "support/bad_records_fixture.h"

namespace shardine::extract_check_test {
namespace {

TEST_CASE("An extraction decodes images where that is asked for",
          "[extract][on-bad]") {
  MemoryStorage storage;
  PutPhotoDataset(storage, "tfrecord", CutPhoto());
  const Job job{.storage = &storage};
  ExtractOptions extract{.dataset = "in", .directory = "files"};
  extract.check = ImageCheckLevel::kDecode;
  const Status failed = ExtractDataset(extract, job).status();
  CHECK(failed.code() == Code::kCorrupt);
  CHECK(failed.where().key == PhotoKey(5));
  CHECK(failed.where().offset.has_value());
  extract.on_bad = OnBad::kSkip;
  const auto files = ExtractDataset(extract, job);
  REQUIRE(files.status().ToString() == "OK");
  CHECK(files->files + files->kept == kBadRecordImages - 1);
  const auto rejects = ReadRejects(storage, "files/rejected.jsonl");
  REQUIRE(rejects.status().ToString() == "OK");
  CHECK(rejects->size() == 1);
  extract.directory = "headers";
  extract.check.reset();
  CHECK(ExtractDataset(extract, job)->files == kBadRecordImages);
  extract.directory = "all";
  extract.check = ImageCheckLevel::kNone;
  CHECK(ExtractDataset(extract, job)->files == kBadRecordImages);
}

}  // namespace
}  // namespace shardine::extract_check_test
