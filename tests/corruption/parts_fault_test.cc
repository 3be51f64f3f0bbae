// Writers of parts and their join when the disk fails or the process is killed
// at any call.
#include <catch2/catch.hpp>
#include <string>

#include "shardine/dataset_writer.h"
#include "support/fault_sweep.h"

namespace shardine::parts_fault_test {
namespace {

constexpr std::uint32_t kParts = 2;

DatasetWriterOptions Options(unsigned threads) {
  DatasetWriterOptions options;
  options.threads = threads;
  options.output = "out";
  options.format = "tfrecord";  // has an index of its own
  options.shard_samples = 3;
  options.check = ImageCheckLevel::kNone;
  return options;
}

Status WritePart(Storage& storage, std::uint32_t part, unsigned threads) {
  DatasetWriterOptions options = Options(threads);
  options.part = part;
  options.parts = kParts;
  auto writer = DatasetWriter::Create(options, {.storage = &storage});
  if (!writer.ok()) return writer.status();
  for (std::uint64_t i = 0; i < 3 - part; ++i) {
    const std::string image = NoiseBytes(50, 3 * part + i);
    const FieldView field{.name = kImageField, .bytes = AsBytes(image)};
    const Status status = (*writer)->Append({.fields = {&field, 1}});
    if (!status.ok()) return status;
  }
  return (*writer)->Finish().status();
}

Status WriteAll(Storage& storage, unsigned threads) {
  for (const std::uint32_t part : {1U, 0U}) {
    const Status status = WritePart(storage, part, threads);
    if (!status.ok()) return status;
  }
  return JoinParts({.output = "out", .threads = threads}, {.storage = &storage})
      .status();
}

Work WorkWith(unsigned threads) {
  return {.prepare = [](MemoryStorage&) {},
          .run = [threads](
                     Storage& storage) { return WriteAll(storage, threads); }};
}

Snapshot FinalFiles(Storage& storage) {
  Snapshot files = TakeSnapshot(storage, "out");
  std::erase_if(files,
                [](const auto& file) { return !IsFinalName(file.first); });
  return files;
}

// Unfinished parts are written again, whatever was left of them; finished parts
// stay; and the result equals an undisturbed run's.
void CheckNextRun(const Aftermath& after, const Snapshot& whole) {
  CheckNothingHalfWritten(after.storage, whole);
  const bool complete = after.storage.Stat("out/shardine.json").ok();
  if (complete) CHECK(FinalFiles(after.storage) == whole);
  for (std::uint32_t part = 0; part < kParts; ++part) {
    const std::string path =
        "out/.parts/0000" + std::to_string(part) + "-of-00002/samples";
    const bool finished = complete || after.storage.Stat(path).ok();
    const Status again = WritePart(after.storage, part, 1);
    INFO(again.ToString());
    CHECK(again.code() == (finished ? Code::kAlreadyExists : Code::kOk));
  }
  const auto joined =
      JoinParts({.output = "out", .threads = 1}, {.storage = &after.storage});
  REQUIRE(joined.status().ToString() == "OK");
  CHECK(joined->nothing_to_do == complete);
  CHECK(joined->warnings.empty());
  CHECK(FinalFiles(after.storage) == whole);
  CHECK_FALSE(after.storage.Stat("out/.pack").ok());
  CHECK_FALSE(after.storage.Stat("out/.parts").ok());
}

TEST_CASE("Parts and their join that are killed at any call can be run again",
          "[corruption][writer][parts]") {
  const Work work = WorkWith(GENERATE(1U, 2U));
  const Snapshot whole = Undisturbed(WorkWith(1));
  KillAtEachCall(work, 100,
                 [&](const Aftermath& after) { CheckNextRun(after, whole); });
}

TEST_CASE("Parts and their join leave a dataset or nothing when a call fails",
          "[corruption][writer][parts]") {
  const Work work = WorkWith(GENERATE(1U, 2U));
  const Snapshot whole = Undisturbed(WorkWith(1));
  const Fault faults[] = {
      {.operation = Operation::kCreate},
      {.operation = Operation::kWrite},
      {.operation = Operation::kSync},
      {.operation = Operation::kRename},
      {.operation = Operation::kRead},
      {.operation = Operation::kStat},
      {.operation = Operation::kRemove},
      {.operation = Operation::kList},
      {.operation = Operation::kSyncDirectory},
  };
  StrikeEachCall(work, faults, [&](const Aftermath& after) {
    // A failure is told; but parts that could not be removed are a warning.
    const bool complete = after.storage.Stat("out/shardine.json").ok();
    CHECK(after.status.ok() == complete);
    CheckNextRun(after, whole);
  });
}

}  // namespace
}  // namespace shardine::parts_fault_test
