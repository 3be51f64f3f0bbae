#include "resize/resize_pipeline.h"

#include <algorithm>
#include <span>
#include <utility>

#include "base/status_macros.h"
#include "io/atomic_file.h"
#include "pipeline/worker_group.h"
#include "source/server_threads.h"

namespace shardine {
namespace {

// Sources between the one whose files are committed next and the newest one
// read. Their bytes are gone by then; the bound is on the temporary files.
constexpr std::size_t kAheadBytes = std::size_t{256} << 20;
constexpr std::size_t kBatchFiles = 4096;
constexpr std::uint64_t kBatchBytes = std::uint64_t{256} << 20;

// Replaces no file that has bytes.
Status GiveName(Storage& storage, const std::string& path) {
  const std::string temporary = TemporaryName(path);
  const Status given = storage.RenameNew(temporary, path);
  if (given.code() != Code::kAlreadyExists) return given;
  const auto there = storage.Stat(path);
  if (!there.ok() || there->kind != FileKind::kRegular || there->size != 0) {
    return Status(Code::kAlreadyExists,
                  "is in the way and appeared while the tree was made; move it "
                  "away and run the same command again")
        .At({.path = path});
  }
  SHARDINE_RETURN_IF_ERROR(storage.Remove(path));
  return storage.RenameNew(temporary, path);
}

}  // namespace

ResizePipeline::ResizePipeline(const Parts& parts) : parts_(parts) {
  CutBlocks();
}

void ResizePipeline::CutBlocks() {
  const SourceList& samples = parts_.plan.source().samples;
  std::vector<bool> to_do(samples.size());
  const std::vector<std::uint32_t>& work = parts_.work.samples;
  for (const std::uint32_t sample : work) to_do[sample] = true;
  blocks_ = CutSources(
      work.size(), [&](std::size_t i) { return samples.facts(work[i]).size; });
  progress_.samples_total = samples.size();
  progress_.rejected = parts_.plan.source().bad.size();
  for (std::size_t i = 0; i < samples.size(); ++i) {
    progress_.bytes_total += samples.facts(i).size;
    // Existing files count as done, so that a resumed run goes on at the
    // percentage where it was.
    if (to_do[i]) continue;
    ++progress_.samples;
    progress_.bytes += samples.facts(i).size;
  }
}

Status ResizePipeline::Run(const ProgressFunction& progress,
                           const std::stop_token& stop) {
  Sequencer<ResizedBlock> sequencer(
      blocks_.size(), kAheadBytes,
      [&](std::uint64_t slot) { return blocks_[slot].bytes; });
  // The threads may sleep in the sequencer, where they do not see the token.
  const std::stop_callback on_stop(stop, [&] { sequencer.Stop(); });
  WorkerGroup workers([&] { sequencer.Stop(); });
  const std::size_t threads = std::min<std::size_t>(
      ServerThreads(FirstPath(parts_.options.source), parts_.options.threads,
                    kServerBlocks),
      blocks_.size());
  Status status = workers.Start(
      threads, [&](std::size_t) { return Work(sequencer, stop); });
  if (status.ok()) {
    status = Guarded([&] { return Take(sequencer, progress); });
  }
  sequencer.Stop();
  const Status worked = workers.Join();
  if (status.ok()) status = worked;
  if (status.ok() && stop.stop_requested()) {
    status = Status(Code::kCancelled, "interrupted");
  }
  // Files made before a failure need not be made again.
  const Status committed = Guarded([&] { return Commit(); });
  if (status.ok()) status = committed;
  // The renames of the last batch are synced as well, before the tree is called
  // complete.
  if (status.ok()) status = SyncAll();
  if (!status.ok()) RemoveTemporaries();
  return status;
}

Status ResizePipeline::Work(Sequencer<ResizedBlock>& sequencer,
                            const std::stop_token& stop) {
  SampleResizer resizer(parts_.sources, parts_.output, parts_.plan,
                        parts_.options);
  while (const auto slot = sequencer.Reserve()) {
    // Counted before the first file is written: RemoveTemporaries() has to know
    // every block that may have left some.
    ++begun_;
    ResizedBlock block;
    Status status = Guarded([&] {
      block = ResizeBlock(blocks_[*slot], resizer, stop);
      return Status();
    });
    if (!status.ok()) block.status = std::move(status);
    sequencer.Fill(*slot, std::move(block));
  }
  return Status();
}

ResizePipeline::ResizedBlock ResizePipeline::ResizeBlock(
    const SourceBlock& block, SampleResizer& resizer,
    const std::stop_token& stop) const {
  ResizedBlock resized;
  const std::size_t outputs = parts_.plan.outputs();
  SourceBatch batch = resizer.BatchOf(
      std::span(parts_.work.samples).subspan(block.first, block.count));
  for (std::size_t i = block.first; i < block.first + block.count; ++i) {
    if (stop.stop_requested()) {
      resized.status = Status(Code::kCancelled, "interrupted");
      return resized;
    }
    const auto begin =
        parts_.work.missing.begin() + static_cast<std::ptrdiff_t>(i * outputs);
    auto sample = resizer.Resize(
        parts_.work.samples[i], batch,
        std::vector<bool>(begin, begin + static_cast<std::ptrdiff_t>(outputs)));
    if (!sample.ok()) {
      resized.status = std::move(sample).status();
      return resized;
    }
    resized.samples.push_back(*std::move(sample));
  }
  return resized;
}

Status ResizePipeline::Take(Sequencer<ResizedBlock>& sequencer,
                            const ProgressFunction& progress) {
  while (auto block = sequencer.Next()) {
    Add(*block);
    // Blocks come in plan order, so this failure is the first one there is. The
    // samples before it in its block were added above, and are kept.
    if (!block->status.ok()) return block->status;
    progress_.bytes += blocks_[taken_++].bytes;
    if (progress) progress(progress_);
    if (written_.size() >= kBatchFiles || written_bytes_ >= kBatchBytes) {
      SHARDINE_RETURN_IF_ERROR(Commit());
    }
  }
  return Status();
}

void ResizePipeline::Add(ResizedBlock& block) {
  for (ResizedSample& sample : block.samples) {
    ++progress_.samples;
    progress_.rejected += sample.reject ? 1 : 0;
    parts_.record.Add(sample.sample, sample.files,
                      sample.reject ? &*sample.reject : nullptr);
    deep_images_.Add(sample.deep,
                     parts_.plan.source().samples.key(sample.sample));
    for (const ResizedFile& file : sample.files) written_bytes_ += file.size;
    for (std::string& path : sample.written) {
      written_.push_back(std::move(path));
    }
  }
}

// The record goes first, so that every file that has its name is in it, and is
// synced together with the files. A record that could not be written may end in
// half a frame: nothing may follow it, and no further batch is committed.
Status ResizePipeline::Commit() {
  if (std::exchange(commit_failed_, true)) return Status();
  SHARDINE_RETURN_IF_ERROR(parts_.record.Append());
  SHARDINE_RETURN_IF_ERROR(SyncAll());
  for (const std::string& path : written_) {
    SHARDINE_RETURN_IF_ERROR(GiveName(parts_.output.storage(), path));
    ++made_;
  }
  written_.clear();
  written_bytes_ = 0;
  committed_ = taken_;
  commit_failed_ = false;
  return Status();
}

Status ResizePipeline::SyncAll() const {
  for (const std::string& folder : parts_.work.folders) {
    SHARDINE_RETURN_IF_ERROR(parts_.output.storage().SyncFileSystem(folder));
  }
  return Status();
}

// Blocks that were begun and not committed have temporary files, others none.
void ResizePipeline::RemoveTemporaries() {
  const std::size_t outputs = parts_.plan.outputs();
  for (std::size_t b = committed_; b < begun_; ++b) {
    for (std::size_t i = 0; i < blocks_[b].count * outputs; ++i) {
      const std::size_t at = blocks_[b].first * outputs + i;
      if (!parts_.work.missing[at]) continue;
      const std::string name = parts_.plan.OutputName(
          parts_.work.samples[at / outputs], at % outputs);
      // Most were not written; the next run removes those that this one cannot.
      static_cast<void>(parts_.output.storage()
                            .Remove(TemporaryName(parts_.output.PathOf(name)))
                            .ok());
    }
  }
}

}  // namespace shardine
