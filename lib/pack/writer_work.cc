#include "pack/writer_work.h"

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <string>
#include <utility>

#include "base/check.h"
#include "base/id_text.h"
#include "base/status_macros.h"
#include "base/stop_scope.h"
#include "pack/written_format.h"
#include "pipeline/processor_share.h"

namespace shardine {
namespace {

constexpr std::uint32_t kMaxParts = 99'999;

// Entry points are found when the dataset is made: in a part they would be
// unused.
DatasetWriterOptions LookOf(const DatasetWriterOptions& options) {
  DatasetWriterOptions look = options;
  if (look.parts > 0) look.entry_points = EntryPoints::kNone;
  return look;
}

// Bytes that a format may keep in memory.
constexpr std::uint64_t kUnflushedBytes = std::uint64_t{2} << 20;
// Bytes appended between two looks at the room on the disk.
constexpr std::uint64_t kLookBytes = std::uint64_t{1} << 20;

// The failure is in the middle of a shard, whose samples are not kept.
constexpr char kEnded[] = "; the writer has ended, and took back what it wrote";

std::uint64_t BytesOf(const CheckedSample& checked) {
  return checked.bytes + checked.view.key.size();
}

std::uint64_t BytesOf(const NewSample& sample) {
  std::uint64_t sum = 0;
  for (const FieldView& field : sample.fields) sum += field.bytes.size();
  return sum;
}

// A disk may get room, a service come back and a file be moved away. REQUIRES:
// all shards are whole.
bool MayPass(const Status& status) {
  return status.code() == Code::kAlreadyExists || status.code() == Code::kIo ||
         status.code() == Code::kRemote;
}

}  // namespace

Result<WriterPlan> PlanWriter(DatasetWriterOptions options, const Job& job) {
  if (options.output.empty() || options.shard_bytes == 0) {
    return Status(Code::kInvalidArgument,
                  "a folder and a shard size above 0 are needed");
  }
  if (options.parts > kMaxParts ||
      options.part >= std::max<std::uint32_t>(options.parts, 1)) {
    return Status(Code::kInvalidArgument,
                  "part " + std::to_string(options.part) + " of " +
                      std::to_string(options.parts) +
                      ": parts are numbered from 0 on, and are 99999 at most");
  }
  if (options.parts > 0 && options.replace) {
    return Status(Code::kInvalidArgument,
                  "a part replaces nothing; join the parts in another folder");
  }
  SHARDINE_ASSIGN_OR_RETURN(FormatAndLayout format,
                            ParseFormat(job.formats, options.format));
  SHARDINE_RETURN_IF_ERROR(CheckWritten(format));
  SHARDINE_ASSIGN_OR_RETURN(ClassMap classes, ClassesOf(options.classes));
  SHARDINE_ASSIGN_OR_RETURN(OutputFolder output,
                            OutputFolder::Of(job, options.output));
  return WriterPlan{std::move(options), std::move(output), std::move(format),
                    std::move(classes)};
}

WriterWork::WriterWork(WriterPlan plan, const Job& job)
    : plan_(std::move(plan)),
      job_(job),
      check_(plan_.format, job.formats, plan_.classes,
             plan_.options.lossy_labels),
      content_(LookOf(plan_.options)) {}

Status WriterWork::BeginThreads() {
  if (options().threads == 1) return Status();
  pipeline_.emplace(LookOf(options()), [this](std::string_view split,
                                              const CheckedSample& checked) {
    return WriteCounted(split, checked);
  });
  return pipeline_->Start(ThreadCount(options().threads));
}

Status WriterWork::Append(const NewSample& sample) {
  SHARDINE_CHECK(!called_finish_);
  const StopScope scope(job_.stop);
  if (!failure_.ok()) return failure_;
  // A sample that finds no room is not taken, and may come again.
  SHARDINE_RETURN_IF_ERROR(CheckRoomToAppend(BytesOf(sample)));
  const std::uint64_t number = appended_;
  Status status = AppendChecked(sample);
  if (status.ok()) return status;
  std::string key(sample.key.value_or(""));
  if (!sample.key) key = IdText(number);
  status = std::move(status).At({.key = std::move(key)});
  // One that was appended before this, and turns out to be bad, is the first.
  const Status before = pipeline_ ? pipeline_->Finish() : Status();
  return EndWith(FirstFailure(before.ok() ? status : before));
}

Status WriterWork::EndWith(Status failure) {
  failure_ = std::move(failure);
  if (MayPass(failure_)) failure_.AddToMessage(kEnded);
  Abandon();
  return failure_;
}

// REQUIRES: no thread calls Write() any more.
Status WriterWork::FirstFailure(const Status& found) {
  Status before = Settle();
  return before.ok() ? found : before;
}

bool WriterWork::WaitForRoom(std::uint64_t bytes,
                             std::chrono::nanoseconds time) {
  return !pipeline_ || pipeline_->WaitForRoom(bytes, time);
}

Status WriterWork::AppendChecked(const NewSample& sample) {
  if (job_.stop.stop_requested()) {
    return Status(Code::kCancelled, "interrupted");
  }
  SHARDINE_ASSIGN_OR_RETURN(CheckedSample checked,
                            check_.Check(sample, appended_));
  ++appended_;
  appended_bytes_ += BytesOf(checked);
  if (pipeline_) return pipeline_->Append(checked, sample.split);
  SHARDINE_RETURN_IF_ERROR(content_.Check(checked));
  return WriteCounted(sample.split, checked);
}

Status WriterWork::WriteCounted(std::string_view split,
                                const CheckedSample& checked) {
  SHARDINE_RETURN_IF_ERROR(Write(split, checked));
  written_bytes_ += BytesOf(checked);
  deep_images_.Add(DeepImageOf(checked.image.verdict.facts), checked.view.key);
  ++done_.samples;
  done_.bytes += checked.bytes;
  if (job_.progress) job_.progress(done_);
  return Status();
}

Result<PackResult> WriterWork::Finish() {
  SHARDINE_CHECK(!finished_);
  const StopScope scope(job_.stop);
  called_finish_ = true;
  if (!failure_.ok()) return failure_;
  // Asked first, since a shard whose write failed cannot go on.
  if (!is_written_) {
    SHARDINE_RETURN_IF_ERROR(CheckRoom(UnwrittenBytes()));
    failure_ = WriteAll();
  }
  if (failure_.ok() && !is_staged_) {
    SHARDINE_RETURN_IF_ERROR(CheckRoom(BytesToStage()));
  }
  if (failure_.ok()) failure_ = StageAll();
  auto result = failure_.ok() ? Publish() : Result<PackResult>(failure_);
  finished_ = result.ok();
  if (result.ok() || (failure_.ok() && MayPass(result.status()))) return result;
  return EndWith(result.status());
}

std::vector<std::string> WriterWork::Warnings() const {
  std::vector<std::string> warnings = check_.limits().LossWarnings();
  std::ranges::move(deep_images_.Warnings(), std::back_inserter(warnings));
  return warnings;
}

// A disk that does not tell its room, or fills up afterwards, fails a write.
Status WriterWork::CheckRoom(std::uint64_t bytes) const {
  const auto free = storage().FreeBytes(output().path());
  if (!free.ok() || *free >= bytes) return Status();
  return Status::FromErrno(ENOSPC, "write", output().path());
}

// Counts bytes of the samples that were taken, rather too many.
std::uint64_t WriterWork::UnwrittenBytes() const {
  const std::uint64_t written = written_bytes_;
  return appended_bytes_ - written + std::min(written, kUnflushedBytes);
}

// Now and then, since a look costs as much as a small sample. `bytes`: of the
// next one.
Status WriterWork::CheckRoomToAppend(std::uint64_t bytes) {
  if (appended_bytes_ + bytes <= room_until_) return Status();
  // The files beside the shard that is begun are written when it ends.
  const std::uint64_t beside =
      std::min<std::uint64_t>(written_bytes_, options().shard_bytes) / 8;
  const std::uint64_t next = std::max(bytes, kLookBytes);
  SHARDINE_RETURN_IF_ERROR(CheckRoom(UnwrittenBytes() + beside + next));
  room_until_ = appended_bytes_ + next;
  return Status();
}

Status WriterWork::WriteAll() {
  const Status written = pipeline_ ? pipeline_->Finish() : Status();
  is_written_ = written.ok();
  return written.ok() ? written : FirstFailure(written);
}

Status WriterWork::StageAll() {
  if (is_staged_) return Status();
  const Status staged = Stage();
  is_staged_ = staged.ok();
  return staged.ok() ? staged : FirstFailure(staged);
}

}  // namespace shardine
