
#include <algorithm>
#include <iterator>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/status_macros.h"
#include "base/stop_scope.h"
#include "dataset/bad_images.h"
#include "dataset/ignored.h"
#include "dataset/rejects.h"
#include "io/atomic_file.h"
#include "io/storage_for.h"
#include "pipeline/in_order.h"
#include "resize/resize_pipeline.h"
#include "resize/resize_plan.h"
#include "resize/resize_record.h"
#include "resize/resize_sample.h"
#include "resize/resize_work.h"
#include "shardine/pack_words.h"
#include "shardine/resize.h"
#include "source/server_threads.h"
#include "source/source_batch.h"
#include "source/source_storage.h"

namespace shardine {
namespace {

// Rejects of the scan of the sources, then rejects of the images, in order.
std::vector<Reject> AllRejects(const ResizePlan& plan, bool named,
                               const ResizeRecord& record) {
  const SourceSet& source = plan.source();
  std::vector<Reject> rejects;
  for (const SourceProblem& bad : source.bad) {
    rejects.push_back({named ? source.splits[bad.root] : "", bad.key,
                       bad.reason, WordOf(OnBad::kSkip), ""});
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
  result.ignored = IgnoredCounts(CountIgnored(plan.source()));
}

Status WriteRejects(const OutputFolder& output,
                    const std::vector<Reject>& rejects) {
  if (rejects.empty()) return Status();
  std::string lines;
  for (const Reject& reject : rejects) lines += RejectLine(reject);
  const std::string path = output.PathOf(kRejectedName);
  // A run that was cut off after its list wrote the same.
  const auto there = ReadFile(output.storage(), path, lines.size());
  if (there.ok() && *there == lines) return Status();
  const Status written =
      WriteNewFileAtomically(output.storage(), path, AsBytes(lines));
  if (written.code() != Code::kAlreadyExists) return written;
  return Status(Code::kAlreadyExists,
                "is in the way, and nothing shows that this resize made it; "
                "move it away and run the same command again")
      .At({.path = path});
}

// A list that exists before anything was made belongs to another command.
Status RefuseRejects(const OutputFolder& output, const ResizeRecord& record) {
  const std::string path = output.PathOf(kRejectedName);
  if (record.existed() || !output.storage().Stat(path).ok()) return Status();
  return Status(Code::kChanged,
                "is in the way and no record says that this resize made it; "
                "choose another folder, or remove it")
      .At({.path = path});
}

std::string BadListPath(const OutputFolder& output) {
  return output.PathOf(".resize/bad.jsonl");
}

// After the first bad image, whose `status` has its key: checks the rest, makes
// nothing of it, and returns the status with all bad images.
Status ListBadImages(const ResizePipeline::Parts& parts, const Status& status,
                     const std::stop_token& stop) {
  const ResizeOptions& options = parts.options;
  if (options.on_bad != OnBad::kFail || !status.where().key) return status;
  std::vector<std::uint32_t> rest;
  for (const std::uint32_t sample : parts.work.samples) {
    if (!parts.record.knows(sample)) rest.push_back(sample);
  }
  ResizeOptions looking = options;
  looking.on_bad = OnBad::kSkip;
  // A resizer holds decoders and buffers, which are set up once for so many
  // images.
  const std::vector<SourceBlock> blocks =
      CutSources(rest.size(),
                 [&](std::size_t i) {
                   return parts.plan.source().samples.facts(rest[i]).size;
                 },
                 {.count = 64, .bytes = std::uint64_t{4} << 20});
  const auto look = [&](std::uint64_t i) -> Result<std::vector<Reject>> {
    const auto samples =
        std::span(rest).subspan(blocks[i].first, blocks[i].count);
    SampleResizer resizer(parts.sources, parts.output, parts.plan, looking);
    // No file is missing, so none is made: the images are only decoded.
    const std::vector<bool> none(parts.plan.outputs());
    SourceBatch batch = resizer.BatchOf(samples);
    std::vector<Reject> found;
    for (const std::uint32_t sample : samples) {
      if (stop.stop_requested()) return Status(Code::kCancelled, "interrupted");
      SHARDINE_ASSIGN_OR_RETURN(ResizedSample looked_at,
                                resizer.Resize(sample, batch, none));
      if (looked_at.reject) found.push_back(*std::move(looked_at.reject));
    }
    return found;
  };
  std::vector<Reject> bad;
  const auto take = [&](std::uint64_t,
                        std::vector<Reject> found) -> Result<bool> {
    std::ranges::move(found, std::back_inserter(bad));
    return true;
  };
  const Status looked = WorkInOrder<std::vector<Reject>>(
      {.count = blocks.size(),
       .threads = ServerThreads(FirstPath(options.source), options.threads,
                                kServerBlocks),
       .most_bytes = std::size_t{256} << 20,
       .bytes = [&](std::uint64_t i) { return blocks[i].bytes; }},
      {.make = look, .take = take});
  return SayOthers(parts.output.storage(), BadListPath(parts.output),
                   std::move(bad), looked, status);
}

Status RefuseFile(const OutputFolder& output) {
  const auto info = output.storage().Stat(output.path());
  if (!info.ok() || info->kind == FileKind::kDirectory) return Status();
  return Status(Code::kInvalidArgument, "is there and is not a folder")
      .At({.path = output.path()});
}

}  // namespace

Result<ResizeResult> ResizeTree(const ResizeOptions& options, const Job& job) {
  const StopScope scope(job.stop);
  SHARDINE_ASSIGN_OR_RETURN(ReadableStorage* const below,
                            StorageFor(job, FirstPath(options.source)));
  SHARDINE_ASSIGN_OR_RETURN(
      const auto sources,
      OpenSources(*below, PathsOf(options.source.folders), job.say));
  SHARDINE_ASSIGN_OR_RETURN(const OutputFolder output,
                            OutputFolder::Of(job, options.output));
  SHARDINE_RETURN_IF_ERROR(RefuseFile(output));
  SHARDINE_ASSIGN_OR_RETURN(const ResizePlan plan,
                            ResizePlan::Make(*sources, output, options));
  if (job.say) std::ranges::for_each(plan.source().remarks, job.say);
  SHARDINE_ASSIGN_OR_RETURN(ResizeRecord record,
                            ResizeRecord::Open(output, plan, options.on_bad));
  // If the folder belongs to another command, the lock and the folder that
  // Open() made are removed.
  auto work = FindResizeWork(output, plan, record);
  if (const Status mine = RefuseRejects(output, record); !mine.ok()) {
    work = mine;
  }
  if (!work.ok()) {
    record.RemoveIfNew();
    return work.status();
  }
  ResizeResult result;
  result.output = output.path();
  result.reused = work->reused;
  result.nothing_to_do = record.complete() && work->samples.empty();
  if (!result.nothing_to_do) {
    SHARDINE_RETURN_IF_ERROR(output.Remove(BadListPath(output)));
    // The record goes first: files of this tree without one would be in the way
    // of the next run.
    SHARDINE_RETURN_IF_ERROR(record.Begin());
    const ResizePipeline::Parts parts{.sources = *sources,
                                      .output = output,
                                      .plan = plan,
                                      .options = options,
                                      .work = *work,
                                      .record = record};
    ResizePipeline pipeline(parts);
    const Status status = pipeline.Run(job.progress, job.stop);
    if (!status.ok()) return ListBadImages(parts, status, job.stop);
    result.made = pipeline.made();
    result.warnings = pipeline.deep_images().Warnings();
  }
  const std::vector<Reject> rejects = AllRejects(plan, options.named, record);
  if (!result.nothing_to_do) {
    // The list is there before the tree is called complete. A run that is cut
    // off in between finds all files made, and writes the list again.
    SHARDINE_RETURN_IF_ERROR(WriteRejects(output, rejects));
    SHARDINE_RETURN_IF_ERROR(record.Complete());
  }
  FillResult(plan, record, rejects, result);
  SHARDINE_RETURN_IF_ERROR(record.Unlock());
  return result;
}

}  // namespace shardine
