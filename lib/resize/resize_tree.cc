
#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/status_macros.h"
#include "dataset/bad_images.h"
#include "dataset/rejects.h"
#include "io/atomic_file.h"
#include "pipeline/parallel_for.h"
#include "resize/resize_pipeline.h"
#include "resize/resize_plan.h"
#include "resize/resize_record.h"
#include "resize/resize_sample.h"
#include "resize/resize_work.h"
#include "shardine/resize.h"

namespace shardine {
namespace {

// Those found by the scan of the sources, then those of the images, in order.
std::vector<Reject> AllRejects(const ResizePlan& plan, bool named,
                               const ResizeRecord& record) {
  const SourceSet& source = plan.source();
  std::vector<Reject> rejects;
  for (const SourceProblem& bad : source.bad) {
    rejects.push_back({named ? source.splits[bad.root] : "", bad.key,
                       bad.reason, ActionName(OnBad::kSkip), ""});
  }
  for (const auto& [sample, reject] : record.rejects()) {
    rejects.push_back(reject);
  }
  return rejects;
}

void FillResult(const ResizePlan& plan, const ResizeRecord& record,
                const std::vector<Reject>& rejects, ResizeResult& result) {
  for (std::size_t i = 0; i < plan.source().samples.size(); ++i) {
    result.samples += record.file(i, 0).size > 0 ? 1 : 0;
    for (std::size_t o = 0; o < plan.outputs(); ++o) {
      const ResizedFile file = record.file(i, o);
      result.bytes += file.size;
      result.upscaled += file.upscaled ? 1 : 0;
      result.kept += file.kept ? 1 : 0;
    }
  }
  for (const ManifestRejected& entry : CountRejects(rejects)) {
    result.rejected.push_back({entry.reason, entry.action, entry.count});
  }
  result.ignored = CountIgnored(plan.source().ignored);
}

Status WriteRejects(Storage& storage, const std::string& output,
                    const std::vector<Reject>& rejects) {
  if (rejects.empty()) return Status();
  std::string lines;
  for (const Reject& reject : rejects) lines += RejectLine(reject);
  return WriteFileAtomically(storage, JoinPath(output, kRejectedName),
                             AsBytes(lines));
}

// A list that is there before anything was made is somebody else's.
Status RefuseRejects(Storage& storage, const std::string& output,
                     const ResizeRecord& record) {
  const std::string path = JoinPath(output, kRejectedName);
  if (record.existed() || !storage.Stat(path).ok()) return Status();
  return Status(Code::kChanged,
                "is in the way and no record says that this resize made it; "
                "choose another folder, or remove it")
      .At({.path = path});
}

std::string BadListPath(const std::string& output) {
  return JoinPath(output, ".resize/bad.jsonl");
}

Status RemoveBadList(Storage& storage, const std::string& output) {
  const Status removed = storage.Remove(BadListPath(output));
  return removed.code() == Code::kNotFound ? Status() : removed;
}

// After the first bad image, whose `status` has its key: what it becomes when
// the rest was looked at, and nothing made of it.
Status LookOn(Storage& storage, const ResizePlan& plan,
              const ResizeOptions& options, const ResizeRecord& record,
              const ResizeWork& work, const Status& status,
              const std::stop_token& stop) {
  if (options.on_bad != OnBad::kFail || !status.where().key) return status;
  std::vector<std::uint32_t> rest;
  for (const std::uint32_t sample : work.samples) {
    if (!record.knows(sample)) rest.push_back(sample);
  }
  ResizeOptions looking = options;
  looking.on_bad = OnBad::kSkip;
  constexpr std::size_t kAtOnce = 64;
  std::vector<std::optional<Reject>> found(rest.size());
  const Status looked = ParallelFor(
      (rest.size() + kAtOnce - 1) / kAtOnce, ThreadCount(options.threads),
      [&](std::size_t piece) {
        SampleResizer resizer(storage, plan, looking);
        const std::vector<bool> none(plan.outputs());
        const std::size_t end = std::min((piece + 1) * kAtOnce, rest.size());
        for (std::size_t i = piece * kAtOnce; i < end; ++i) {
          if (stop.stop_requested()) {
            return Status(Code::kCancelled, "interrupted");
          }
          SHARDINE_ASSIGN_OR_RETURN(ResizedSample sample,
                                    resizer.Resize(rest[i], none));
          found[i] = std::move(sample.reject);
        }
        return Status();
      });
  std::vector<Reject> bad;
  for (std::optional<Reject>& reject : found) {
    if (reject) bad.push_back(*std::move(reject));
  }
  return SayOthers(storage, BadListPath(options.output), std::move(bad), looked,
                   status);
}

Status RefuseFile(Storage& storage, const std::string& output) {
  const auto info = storage.Stat(output);
  if (!info.ok() || info->kind == FileKind::kDirectory) return Status();
  return Status(Code::kInvalidArgument, "is there and is not a folder")
      .At({.path = output});
}

}  // namespace

Result<ResizeResult> ResizeTree(const ResizeOptions& options, const Job& job) {
  const std::string& output = options.output;
  SHARDINE_RETURN_IF_ERROR(RefuseFile(job.storage, output));
  SHARDINE_ASSIGN_OR_RETURN(const ResizePlan plan,
                            ResizePlan::Make(job.storage, options));
  SHARDINE_ASSIGN_OR_RETURN(
      ResizeRecord record,
      ResizeRecord::Open(job.storage, output, plan, options.on_bad));
  auto work = FindResizeWork(job.storage, output, plan, record);
  if (const Status mine = RefuseRejects(job.storage, output, record);
      !mine.ok()) {
    work = mine;
  }
  if (!work.ok()) {
    record.RemoveIfNew();
    return work.status();
  }
  ResizeResult result;
  result.output = output;
  result.reused = work->reused;
  result.nothing_to_do = record.complete() && work->samples.empty();
  if (!result.nothing_to_do) {
    SHARDINE_RETURN_IF_ERROR(RemoveBadList(job.storage, output));
    SHARDINE_RETURN_IF_ERROR(record.Begin());
    ResizePipeline pipeline({.storage = job.storage,
                             .plan = plan,
                             .options = options,
                             .work = *work,
                             .record = record});
    const Status status = pipeline.Run(job.progress, job.stop);
    if (!status.ok()) {
      return LookOn(job.storage, plan, options, record, *work, status,
                    job.stop);
    }
    result.made = pipeline.made();
  }
  const std::vector<Reject> rejects = AllRejects(plan, options.named, record);
  if (!result.nothing_to_do) {
    SHARDINE_RETURN_IF_ERROR(WriteRejects(job.storage, output, rejects));
    SHARDINE_RETURN_IF_ERROR(record.Complete());
  }
  FillResult(plan, record, rejects, result);
  SHARDINE_RETURN_IF_ERROR(record.Unlock());
  return result;
}

}  // namespace shardine
