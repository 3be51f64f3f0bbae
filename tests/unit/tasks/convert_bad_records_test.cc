// Tasks of conversions that leave records or keys out: the bytes of a
// conversion in one process.

#include <catch2/catch.hpp>

#include "shardine/convert.h"
#include "shardine/tasks.h"
#include "support/bad_records_fixture.h"
#include "support/task_fixture.h"

namespace shardine::convert_bad_records_test {
namespace {

TEST_CASE("Tasks of a conversion leave out what the conversion leaves out",
          "[convert][tasks][on-bad]") {
  MemoryStorage storage;
  PutPhotoDataset(storage, "tfrecord", "no image");
  const Extent image = ImageAt(storage, 1, 2);
  Flip(storage, ShardOf(storage, 1), image.offset + 30);
  REQUIRE(
      Convert(Skipping("whole"), {.storage = &storage}).status().ToString() ==
      "OK");
  ConvertTaskOptions options;
  options.convert = Skipping("out");
  options.plan = kPlan;
  options.task_bytes = 1;
  REQUIRE(
      PlanConvertTasks(options, {.storage = &storage}).status().ToString() ==
      "OK");
  REQUIRE(RunSome(storage, {1}).ToString() == "OK");
  REQUIRE(RunSome(storage, {0}).ToString() == "OK");
  REQUIRE(FinalizeAll(storage).ToString() == "OK");
  CHECK((TakeSnapshot(storage, "out") == TakeSnapshot(storage, "whole")));
}

TEST_CASE("Tasks leave out the keys that their plan leaves out",
          "[convert][tasks][drop-keys]") {
  MemoryStorage storage;
  PutPhotoDataset(storage, "recordio");
  storage.Put("drop.txt", PhotoKey(3) + "\nnothing.jpg\n");
  ConvertTaskOptions options;
  options.convert = Failing("whole");
  options.convert.drop_keys = "drop.txt";
  REQUIRE(Convert(options.convert, {.storage = &storage}).status().ToString() ==
          "OK");
  options.convert.output = "out";
  options.plan = kPlan;
  options.task_bytes = 1;
  REQUIRE(PlanConvertTasks(options, {.storage = &storage}).ok());
  REQUIRE(RunSome(storage, {0, 1}).ToString() == "OK");
  REQUIRE(FinalizeAll(storage).ToString() == "OK");
  CHECK((TakeSnapshot(storage, "out") == TakeSnapshot(storage, "whole")));
}

}  // namespace
}  // namespace shardine::convert_bad_records_test
