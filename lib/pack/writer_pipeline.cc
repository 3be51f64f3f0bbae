#include "pack/writer_pipeline.h"

#include <limits>
#include <optional>
#include <utility>

#include "base/status_macros.h"

namespace shardine {
namespace {

// A thread takes this much at a time: a few photos, or hundreds of small
// samples.
constexpr std::size_t kBatchBytes = std::size_t{256} << 10;
// With the sample that fills it, if that is a photo.
constexpr std::size_t kBatchRoom = std::size_t{384} << 10;
// Memory of batches that wait or are checked. The batch being filled and the
// batch being written come on top.
constexpr std::size_t kMemoryBytes = std::size_t{32} << 20;

}  // namespace

WriterPipeline::WriterPipeline(const DatasetWriterOptions& options,
                               SampleSink sink)
    : options_(options),
      sink_(std::move(sink)),
      in_order_(kMemoryBytes),
      to_check_(std::numeric_limits<std::size_t>::max()),
      workers_([this] { GiveUp(); }),
      writer_([this] { GiveUp(); }) {}

WriterPipeline::~WriterPipeline() { GiveUp(); }

Status WriterPipeline::Start(unsigned threads) {
  SHARDINE_RETURN_IF_ERROR(
      writer_.Start(1, [this](std::size_t) { return WriteBatches(); }));
  return workers_.Start(threads,
                        [this](std::size_t) { return CheckBatches(); });
}

// The workers still take the batches handed to them, unseen: the writer may be
// waiting for one.
void WriterPipeline::GiveUp() {
  given_up_ = true;
  in_order_.Stop();
  to_check_.Close();
}

Status WriterPipeline::Append(const CheckedSample& sample,
                              std::string_view split) {
  if (batch_ == nullptr) batch_ = std::make_shared<SampleBatch>(kBatchRoom);
  batch_->Add(sample, split);
  if (batch_->weight() < kBatchBytes || Push()) return Status();
  return Finish();
}

bool WriterPipeline::WaitForRoom(std::uint64_t bytes,
                                 std::chrono::nanoseconds time) {
  // As if the sample filled the batch: early room is no loss.
  const std::size_t begun = batch_ == nullptr ? 0 : batch_->weight();
  return in_order_.WaitForRoom(begun + static_cast<std::size_t>(bytes), time);
}

// False: the writer has ended, since something failed. The workers are first:
// the writer must never wait for a batch that no worker was given.
bool WriterPipeline::Push() {
  const Shared batch = std::exchange(batch_, nullptr);
  return to_check_.Push(batch, 0) && in_order_.Push(batch, batch->weight());
}

Status WriterPipeline::Finish() {
  if (batch_ != nullptr) static_cast<void>(Push());
  in_order_.Close();
  const Status written = writer_.Join();
  to_check_.Close();
  // Workers fail for want of memory alone, which is why the writer ended then.
  const Status checked = workers_.Join();
  return checked.ok() ? written : checked;
}

Status WriterPipeline::CheckBatches() {
  std::optional<NewContentCheck> check;
  const Status made = Guarded([&] {
    check.emplace(options_);
    return Status();
  });
  if (!made.ok()) GiveUp();
  while (const auto batch = to_check_.Pop()) {
    (*batch)->Check(given_up_ || !check ? nullptr : &*check);
  }
  return made;
}

Status WriterPipeline::WriteBatches() {
  while (const auto batch = in_order_.Pop()) {
    SHARDINE_RETURN_IF_ERROR((*batch)->Drain(sink_));
  }
  return Status();
}

}  // namespace shardine
