// DatasetWriter when the disk fails or the process is killed at any call.
#include <catch2/catch.hpp>

#include "shardine/dataset_writer.h"
#include "support/fault_sweep.h"

namespace shardine::writer_fault_test {
namespace {

Status WriteFive(Storage& storage, unsigned threads) {
  DatasetWriterOptions options;
  options.threads = threads;
  options.output = "out";
  options.format = "tfrecord";  // has an index of its own
  options.shard_samples = 3;
  options.check = ImageCheckLevel::kNone;
  auto writer = DatasetWriter::Create(options, {.storage = &storage});
  if (!writer.ok()) return writer.status();
  for (std::uint64_t i = 0; i < 5; ++i) {
    const std::string image = NoiseBytes(50, i);
    const FieldView field{.name = kImageField, .bytes = AsBytes(image)};
    const Status status = (*writer)->Append(
        {.key = "k" + std::to_string(i), .fields = {&field, 1}});
    if (!status.ok()) return status;
  }
  return (*writer)->Finish().status();
}

Work WorkWith(unsigned threads) {
  return {.prepare = [](MemoryStorage&) {},
          .run = [threads](
                     Storage& storage) { return WriteFive(storage, threads); }};
}

Snapshot FinalFiles(Storage& storage) {
  Snapshot files = TakeSnapshot(storage, "out");
  std::erase_if(files,
                [](const auto& file) { return !IsFinalName(file.first); });
  return files;
}

// The same program again makes an undisturbed one's output, or finds it made.
void CheckNextRun(const Aftermath& after, const Snapshot& whole) {
  CheckNothingHalfWritten(after.storage, whole);
  const bool complete = after.storage.Stat("out/shardine.json").ok();
  if (complete) CHECK(FinalFiles(after.storage) == whole);
  const Status next = WriteFive(after.storage, 1);
  CHECK(next.code() == (complete ? Code::kAlreadyExists : Code::kOk));
  CHECK(FinalFiles(after.storage) == whole);
  // Nothing of the work stays, in whatever step of the clean-up it ended.
  CHECK_FALSE(after.storage.Stat("out/.pack").ok());
}

TEST_CASE("DatasetWriter that is killed at any call can be run again",
          "[corruption][writer]") {
  const Work work = WorkWith(GENERATE(1U, 2U));
  const Snapshot whole = Undisturbed(WorkWith(1));
  KillAtEachCall(work, 50,
                 [&](const Aftermath& after) { CheckNextRun(after, whole); });
}

TEST_CASE("DatasetWriter leaves a dataset or nothing when a call fails",
          "[corruption][writer]") {
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
    const bool complete = after.storage.Stat("out/shardine.json").ok();
    CHECK(after.status.ok() == complete);
    CheckNextRun(after, whole);
  });
}

}  // namespace
}  // namespace shardine::writer_fault_test
