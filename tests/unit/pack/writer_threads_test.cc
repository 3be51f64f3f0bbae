// DatasetWriter with several threads: the same output as one thread, and
// failures.
#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "io/memory_storage.h"
#include "pack/writer_pipeline.h"
#include "pipeline/worker_group.h"
#include "shardine/dataset_writer.h"
#include "shardine/verify.h"
#include "support/draws.h"
#include "support/fault_storage.h"
#include "support/jpeg_maker.h"
#include "support/pack_fixture.h"

namespace shardine::writer_threads_test {
namespace {

using Catch::Contains;

DatasetWriterOptions WriteTo(const std::string& output, unsigned threads) {
  DatasetWriterOptions options;
  options.output = output;
  options.format = "webdataset";
  options.shard_bytes = 300'000;
  options.check = ImageCheckLevel::kNone;
  options.threads = threads;
  return options;
}

// Samples of all kinds: images with entry points, empty ones, some larger than
// a batch, arrays, several splits.
Status WriteDrawn(DatasetWriter& writer, std::uint32_t seed,
                  std::size_t count) {
  static const std::string jpeg = MakeJpeg({.width = 200, .height = 150});
  Draws draws(seed);
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t size = draws.Below(40) == 0 ? 400'000 : draws.Below(90);
    const std::string noise = NoiseBytes(8 * size, i);
    const FieldView fields[] = {{.name = "x",
                                 .dtype = "<f8",
                                 .shape = {&size, 1},
                                 .bytes = AsBytes(noise)},
                                {.name = kImageField, .bytes = AsBytes(jpeg)}};
    const std::vector<Label> labels(draws.Below(4), Label::FromReal(0.5));
    const Status status =
        writer.Append({.key = "k" + std::to_string(i),
                       .labels = labels,
                       .fields = std::span(fields).first(1 + draws.Below(2)),
                       .split = draws.Below(3) == 0 ? "val" : "train"});
    if (!status.ok()) return status;
  }
  return Status();
}

TEST_CASE("DatasetWriter makes the same bytes with any number of threads",
          "[pack][writer][threads]") {
  for (const std::uint32_t seed : {1U, 2U}) {
    std::optional<Snapshot> expected;
    for (const unsigned threads : {1U, 2U, 7U}) {
      INFO(threads << " threads");
      MemoryStorage storage;
      auto writer =
          DatasetWriter::Create(WriteTo("out", threads), {.storage = &storage});
      REQUIRE(writer.ok());
      REQUIRE(WriteDrawn(**writer, seed, 300).ToString() == "OK");
      const auto result = (*writer)->Finish();
      REQUIRE(result.status().ToString() == "OK");
      CHECK(result->samples == 300);
      CHECK(result->shards > 2);
      CHECK(result->entry_points.images > 50);
      const Snapshot made = TakeSnapshot(storage, "out");
      if (!expected) expected = made;
      CHECK(made == *expected);
    }
  }
}

TEST_CASE(
    "The first failure in the order of samples is the answer, however many "
    "threads",
    "[pack][writer][threads]") {
  const std::string jpeg = MakeJpeg({.width = 40, .height = 30});
  for (const unsigned threads : {1U, 2U, 7U}) {
    INFO(threads << " threads");
    MemoryStorage storage;
    DatasetWriterOptions options = WriteTo("out", threads);
    options.check = ImageCheckLevel::kHeader;
    auto writer = DatasetWriter::Create(options, {.storage = &storage});
    REQUIRE(writer.ok());
    Status status;
    // 40 is bad, and so is each after it; 45 is seen to be none at once.
    for (int i = 0; i < 50 && status.ok(); ++i) {
      const std::string image = i < 40 ? jpeg : "no image";
      const FieldView field{.name = kImageField, .bytes = AsBytes(image)};
      status = (*writer)->Append(
          {.key = i == 45 ? "" : std::to_string(i), .fields = {&field, 1}});
    }
    CHECK(status.code() == Code::kCorrupt);
    CHECK(status.where().key == "40");
    CHECK((*writer)->Append({.key = "late"}).ToString() == status.ToString());
    CHECK((*writer)->Finish().status().ToString() == status.ToString());
    CHECK_FALSE(storage.Stat("out").ok());
  }
}

TEST_CASE("A failure that only the end can tell leaves nothing",
          "[pack][writer][threads]") {
  MemoryStorage storage;
  auto writer = DatasetWriter::Create(WriteTo("out", 3), {.storage = &storage});
  REQUIRE(writer.ok());
  const std::string bytes = "x";
  const FieldView field{.name = "a", .bytes = AsBytes(bytes)};
  for (const char* key : {"a", "b", "a"}) {
    REQUIRE((*writer)->Append({.key = key, .fields = {&field, 1}}).ok());
  }
  const Status status = (*writer)->Finish().status();
  CHECK_THAT(status.message(), Contains("has a sample of this key already"));
  CHECK(status.where().key == "a");
  CHECK_FALSE(storage.Stat("out").ok());
}

TEST_CASE("A writer with threads that is left or stopped leaves nothing",
          "[pack][writer][threads]") {
  MemoryStorage storage;
  std::stop_source stop;
  for (const bool stopped : {false, true}) {
    auto writer = DatasetWriter::Create(
        WriteTo("out", 4), {.stop = stop.get_token(), .storage = &storage});
    REQUIRE(writer.ok());
    REQUIRE(WriteDrawn(**writer, 3, 200).ok());
    if (!stopped) continue;
    stop.request_stop();
    CHECK(WriteDrawn(**writer, 4, 1).code() == Code::kCancelled);
    CHECK((*writer)->Finish().status().code() == Code::kCancelled);
  }
  CHECK_FALSE(storage.Stat("out").ok());
}

TEST_CASE("A disk that is full ends a writer with threads",
          "[pack][writer][threads]") {
  MemoryStorage disk;
  FaultStorage storage(disk, {.operation = Operation::kWrite, .call = 20});
  auto writer = DatasetWriter::Create(WriteTo("out", 3), {.storage = &storage});
  REQUIRE(writer.ok());
  Status status;
  std::uint32_t rounds = 0;
  while (status.ok() && rounds < 1000) {
    const std::string bytes = NoiseBytes(1'000'000, rounds);
    const FieldView field{.name = "a", .bytes = AsBytes(bytes)};
    status = (*writer)->Append(
        {.key = std::to_string(rounds++), .fields = {&field, 1}});
  }
  CHECK(status.code() == Code::kIo);
  CHECK(storage.struck());
  // Waiting samples are bounded, so the caller heard of it soon.
  CHECK(rounds < 50);
  CHECK((*writer)->Finish().status().ToString() == status.ToString());
}

TEST_CASE("A writer says that there are no threads, and leaves nothing",
          "[pack][writer][threads]") {
  MemoryStorage storage;
  for (const unsigned there : {0U, 1U}) {
    const ThreadShortage shortage(there);
    CHECK_THAT(DatasetWriter::Create(WriteTo("out", 3), {.storage = &storage})
                   .status()
                   .message(),
               Contains("no thread can be started"));
    CHECK_FALSE(storage.Stat("out").ok());
  }
  const ThreadShortage shortage(2);  // one to check, one to write
  auto writer = DatasetWriter::Create(WriteTo("out", 3), {.storage = &storage});
  REQUIRE(writer.ok());
  REQUIRE(WriteDrawn(**writer, 5, 100).ok());
  CHECK((*writer)->Finish().ok());
}

TEST_CASE("WriterPipeline holds so many samples and no more",
          "[pack][writer][threads]") {
  std::atomic<std::size_t> written = 0;
  std::atomic<bool> open = false;
  DatasetWriterOptions options;
  options.check = ImageCheckLevel::kNone;
  WriterPipeline pipeline(options, [&](std::string_view, const CheckedSample&) {
    open.wait(false);
    ++written;
    return Status();
  });
  REQUIRE(pipeline.Start(2).ok());
  std::atomic<std::size_t> appended = 0;
  const std::string bytes(1 << 20, 'x');
  const FieldView field{.name = "a", .bytes = AsBytes(bytes)};
  std::jthread caller([&] {
    for (std::size_t i = 0; i < 100; ++i) {
      const CheckedSample sample{
          .view = {.key = "k", .labels = {}, .fields = {&field, 1}},
          .image = {},
          .bytes = bytes.size()};
      if (!pipeline.Append(sample, "train").ok()) return;
      ++appended;
    }
  });
  while (appended < 30) std::this_thread::yield();
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  CHECK(appended <= 34);
  CHECK(written == 0);
  open = true;
  open.notify_all();
  caller.join();
  CHECK(pipeline.Finish().ok());
  CHECK(written == 100);
}

TEST_CASE("A shard that fails beside the next is the first failure",
          "[pack][writer][threads]") {
  MemoryStorage disk;
  // The first read is of the journal.
  FaultStorage storage(disk, {.operation = Operation::kRead, .call = 1});
  DatasetWriterOptions options = WriteTo("out", 2);
  options.shard_samples = 2;
  auto writer = DatasetWriter::Create(options, {.storage = &storage});
  REQUIRE(writer.ok());
  const std::string bytes = "x";
  const FieldView field{.name = "a", .bytes = AsBytes(bytes)};
  // The last key exists twice, in the shard after the one that is not read
  // back.
  for (const char* key : {"a", "b", "c", "c"}) {
    REQUIRE((*writer)->Append({.key = key, .fields = {&field, 1}}).ok());
  }
  const Status status = (*writer)->Finish().status();
  CHECK(storage.struck());
  CHECK(status.code() == Code::kIo);
  CHECK_FALSE(disk.Stat("out").ok());
}

}  // namespace
}  // namespace shardine::writer_threads_test
