// WriterWork: the work of a DatasetWriter, whether its samples are a whole
// dataset or a part of one: checks them, with threads or without, and remembers
// the first failure. The two differ only in where the samples go.
#ifndef SHARDINE_PACK_WRITER_WORK_H_
#define SHARDINE_PACK_WRITER_WORK_H_

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "image/deep_image.h"
#include "io/output_folder.h"
#include "pack/new_sample.h"
#include "pack/writer_pipeline.h"
#include "shard/format_registry.h"
#include "shardine/dataset_writer.h"
#include "shardine/job.h"
#include "shardine/pack_result.h"
#include "shardine/status.h"
#include "source/class_map.h"

namespace shardine {

// The options, parsed.
struct WriterPlan {
  DatasetWriterOptions options;
  OutputFolder output;
  FormatAndLayout format;
  ClassMap classes;
};
// kInvalidArgument: options.
Result<WriterPlan> PlanWriter(DatasetWriterOptions options, const Job& job);

// Thread-compatible.
class WriterWork {
 public:
  virtual ~WriterWork() = default;
  WriterWork(const WriterWork&) = delete;
  WriterWork& operator=(const WriterWork&) = delete;

  // As those of DatasetWriter.
  Status Append(const NewSample& sample);
  bool WaitForRoom(std::uint64_t bytes, std::chrono::nanoseconds time);
  Result<PackResult> Finish();
  bool can_finish() const { return failure_.ok() && !finished_; }
  const std::stop_token& stop() const { return job_.stop; }

 protected:
  WriterWork(WriterPlan plan, const Job& job);

  Status BeginThreads();
  // Gives up samples that were not written. First in every Abandon() and
  // destructor: the threads call Write().
  void EndThreads() { pipeline_.reset(); }

  Storage& storage() const { return plan_.output.storage(); }
  const DatasetWriterOptions& options() const { return plan_.options; }
  const OutputFolder& output() const { return plan_.output; }
  const FormatAndLayout& format() const { return plan_.format; }
  const ClassMap& classes() const { return plan_.classes; }
  const Job& job() const { return job_; }
  const NewSampleCheck& check() const { return check_; }
  // Warnings about values that records lose, or that decoding would. After the
  // last sample was written.
  std::vector<std::string> Warnings() const;
  std::uint64_t written() const { return done_.samples; }
  std::uint64_t written_bytes() const { return written_bytes_; }

 private:
  // Called by one thread at a time.
  virtual Status Write(std::string_view split,
                       const CheckedSample& checked) = 0;
  // Waits for work that Write() left to other threads: their failure comes
  // before any that was found since.
  virtual Status Settle() { return Status(); }
  // After the last sample was written: how many bytes Stage() may write, rather
  // too many.
  virtual std::uint64_t BytesToStage() const = 0;
  // After the last sample was written: does the remaining work and checks
  // before anything gets its name.
  virtual Status Stage() = 0;
  // Called again after a failure that may pass, and goes on from there.
  virtual Result<PackResult> Publish() = 0;
  // After a failure: removes the written files, as far as that can be.
  virtual void Abandon() = 0;

  Status AppendChecked(const NewSample& sample);
  Status WriteCounted(std::string_view split, const CheckedSample& checked);
  Status CheckRoom(std::uint64_t bytes) const;
  std::uint64_t UnwrittenBytes() const;
  Status CheckRoomToAppend(std::uint64_t bytes);
  Status WriteAll();
  Status StageAll();
  Status FirstFailure(const Status& found);
  Status EndWith(Status failure);

  const WriterPlan plan_;
  const Job job_;
  NewSampleCheck check_;
  NewContentCheck content_;
  Progress done_;
  DeepImageCount deep_images_;  // as done_, of written samples
  Status failure_;
  bool called_finish_ = false;
  bool is_written_ = false;
  bool is_staged_ = false;
  bool finished_ = false;
  std::uint64_t appended_ = 0;  // of which done_ counts those that are written
  std::uint64_t appended_bytes_ = 0;              // bytes of these in a shard
  std::atomic<std::uint64_t> written_bytes_ = 0;  // of those that are written
  std::uint64_t room_until_ = 0;  // of appended_bytes_, at the last look
  // While it exists, its thread alone uses the members that it writes to.
  std::optional<WriterPipeline> pipeline_;
};

// Begins the work of a whole dataset, in a folder that is empty or holds the
// parts with its samples.
Result<std::unique_ptr<WriterWork>> BeginWhole(WriterPlan plan, const Job& job,
                                               bool from_parts);
// REQUIRES: plan.options.parts > 0.
Result<std::unique_ptr<WriterWork>> BeginPart(WriterPlan plan, const Job& job);

}  // namespace shardine

#endif  // SHARDINE_PACK_WRITER_WORK_H_
