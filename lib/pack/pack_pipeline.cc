#include "pack/pack_pipeline.h"

#include <algorithm>
#include <utility>

#include "base/status_macros.h"
#include "dataset/index_entry.h"
#include "pipeline/worker_group.h"

namespace shardine {
namespace {

// Blocks in flight; with one oversized block beside them this stays well
// within the 256 MiB that a pack may take.
constexpr std::size_t kMemoryBytes = std::size_t{48} << 20;
// Memory that an oversized block has grown beyond this is not kept.
constexpr std::size_t kKeptBlock = std::size_t{8} << 20;

std::vector<std::size_t> ShardsOf(const std::vector<ShardWork>& work) {
  std::vector<std::size_t> shards;
  for (const ShardWork& entry : work) shards.push_back(entry.shard);
  return shards;
}

}  // namespace

PackPipeline::PackPipeline(const DatasetPlan& planned,
                           const BlockPreparer& preparer, Options options)
    : planned_(planned),
      plan_(planned.plan),
      preparer_(preparer),
      options_(std::move(options)),
      threads_(std::clamp(options_.threads, preparer.min_threads(),
                          preparer.max_threads())) {}

Status PackPipeline::Run(const std::vector<ShardWork>& work,
                         const ProgressFunction& progress, Progress& done,
                         const std::stop_token& stop) {
  const std::vector<PlannedBlock> blocks =
      CutBlocks(plan_, ShardsOf(work), options_.made_per_sample);
  Sequencer<PreparedBlock> sequencer(
      blocks.size(), kMemoryBytes,
      [&](std::uint64_t slot) { return blocks[slot].weight; });
  const std::stop_callback on_stop(stop, [&] { sequencer.Stop(); });

  WorkerGroup publisher([&] { finished_.Close(); });
  WorkerGroup workers([&] { sequencer.Stop(); });
  Status status = publisher.Start(1, [&](std::size_t) {
    PublishAll(stop);
    return Status();
  });
  if (status.ok()) {
    status = workers.Start(threads_, [&](std::size_t) {
      Work(sequencer, blocks, stop);
      return Status();
    });
  }
  if (status.ok()) {
    status = Guarded([&] { return Write(sequencer, work, progress, done); });
  }
  // Workers may wait for room that the writer, which has ended, will never
  // make.
  sequencer.Stop();
  const Status worked = workers.Join();
  if (status.ok()) status = worked;
  if (status.ok() && stop.stop_requested()) {
    status = Status(Code::kCancelled, "interrupted");
  }
  // The shard that was being written is given up; one that is with the
  // publisher is whole, and gets its name unless the run was stopped.
  if (!status.ok()) Abandon(std::exchange(current_, Parts()));
  finished_.Close();
  const Status published = publisher.Join();
  if (status.ok()) status = published;
  // A shard that was written before is earlier in plan order.
  if (publish_status_.ok()) return status;
  // The failure that counts is no longer the bad image's, so the rest of the
  // images is not looked at for it.
  bad_block_.reset();
  return publish_status_;
}

void PackPipeline::Work(Sequencer<PreparedBlock>& sequencer,
                        const std::vector<PlannedBlock>& blocks,
                        const std::stop_token& stop) {
  while (const auto slot = sequencer.Reserve()) {
    PreparedBlock block;
    const Status prepared = Guarded([&] {
      block = preparer_.Prepare(blocks[*slot], TakeUsedBlock(), stop);
      return block.status;
    });
    // A block that is not whole says so in its place, where all before it are
    // written first.
    if (block.status.ok() && !prepared.ok()) {
      block = PreparedBlock();
      block.planned = blocks[*slot];
      block.status = prepared;
    }
    // The planned weight was an estimate; the real weight of the block counts
    // from here on.
    const std::size_t weight = block.weight();
    sequencer.Fill(*slot, std::move(block), weight);
  }
}

PreparedBlock PackPipeline::TakeUsedBlock() {
  const std::lock_guard lock(mutex_);
  if (used_blocks_.empty()) return {};
  PreparedBlock block = std::move(used_blocks_.back());
  used_blocks_.pop_back();
  return block;
}

void PackPipeline::KeepUsedBlock(PreparedBlock block) {
  std::size_t capacity = 0;
  for (const PreparedVariant& variant : block.variants) {
    capacity += variant.bytes.capacity();
  }
  if (capacity > kKeptBlock) return;
  const std::lock_guard lock(mutex_);
  used_blocks_.push_back(std::move(block));
}

// Goes on to the end whatever fails: the writer waits for room in the queue.
void PackPipeline::PublishAll(const std::stop_token& stop) {
  while (auto parts = finished_.Pop()) {
    Status status = publishing_failed_
                        ? Status(Code::kCancelled, "an earlier shard failed")
                        : Guarded([&] { return Publish(*parts, stop); });
    if (status.ok()) continue;
    Abandon(*std::move(parts));
    if (publishing_failed_.exchange(true)) continue;
    const std::lock_guard lock(mutex_);
    publish_status_ = std::move(status);
  }
}

// A shard that is finished in a variant has its notes.
Status PackPipeline::Publish(Parts& parts, const std::stop_token& stop) const {
  SHARDINE_RETURN_IF_ERROR(
      SaveShardNotes(options_.output, parts.shard->name, parts.notes));
  for (Part& part : parts.variants) {
    SHARDINE_RETURN_IF_ERROR(
        part.publisher->Publish(std::move(part.written), stop));
    SHARDINE_ASSIGN_OR_RETURN(parts.notes.files[part.publisher->variant()],
                              part.publisher->FactsOf(*parts.shard));
  }
  // Saved again, with the sizes and times by which a later run knows the files.
  // After a kill in between that run has to read the shard.
  SHARDINE_RETURN_IF_ERROR(
      SaveShardNotes(options_.output, parts.shard->name, parts.notes));
  return options_.published ? options_.published(*parts.shard) : Status();
}

// Files that the publishers have published have no temporary name any more.
void PackPipeline::Abandon(Parts parts) {
  for (Part& part : parts.variants) {
    part.written = WrittenShard();
    part.publisher->RemoveTemporaries(parts.shard->name);
  }
}

Status PackPipeline::Write(Sequencer<PreparedBlock>& sequencer,
                           const std::vector<ShardWork>& work,
                           const ProgressFunction& progress, Progress& done) {
  auto next = work.begin();
  while (auto block = sequencer.Next()) {
    // The publisher has the failure, which is earlier in plan order than
    // whatever the writer could still find.
    if (publishing_failed_) return Status();
    const PlannedShard& shard = plan_.shards()[block->planned.shard];
    if (block->planned.first == 0) {
      SHARDINE_RETURN_IF_ERROR(BeginShard(*next++));
    }
    if (block->bad) bad_block_ = block->planned;
    SHARDINE_RETURN_IF_ERROR(AppendBlock(*block));
    done.samples += block->planned.count;
    done.bytes += block->planned.bytes;
    done.rejected += TakeNotes(*block);
    if (progress) progress(done);
    if (block->planned.first + block->planned.count == shard.count) {
      if (!finished_.Push(std::exchange(current_, Parts()), 1)) return Status();
    }
    KeepUsedBlock(*std::move(block));
  }
  return Status();
}

Status PackPipeline::BeginShard(const ShardWork& work) {
  current_.shard = &plan_.shards()[work.shard];
  current_.notes.part = current_.shard->digest;
  current_.notes.judged = options_.judged;
  // The facts are those of the plan, from before the files are read: a file
  // that changes from here on is found by its reader or by the next run.
  current_.notes.facts = FactsDigest(plan_, *current_.shard);
  if (planned_.has_sizes()) {
    current_.notes.sizes.resize(planned_.variants.back().number);
  }
  for (const ShardPublisher* publisher : work.publishers) {
    Part& part = current_.variants.emplace_back();
    part.publisher = publisher;
    SHARDINE_ASSIGN_OR_RETURN(part.written, publisher->Begin(*current_.shard));
  }
  return Status();
}

Status PackPipeline::AppendBlock(const PreparedBlock& block) {
  // A block that could not be prepared at all has no payloads; of one that
  // ended in the middle the samples before are written.
  if (block.variants.empty()) return block.status;
  for (Part& part : current_.variants) {
    SHARDINE_RETURN_IF_ERROR(AppendTo(part, block));
  }
  return block.status;
}

Status PackPipeline::AppendTo(Part& part, const PreparedBlock& block) const {
  const SourceList& list = plan_.source().samples;
  const PreparedVariant& variant = block.variants[part.publisher->variant()];
  std::vector<Label> labels;
  for (std::size_t i = 0; i < block.samples.size(); ++i) {
    if (!block.samples[i].packed) continue;
    const std::size_t source = block.samples[i].source;
    const PreparedPayload& payload = variant.payloads[i];
    list.GetLabels(source, labels);
    const std::vector<FieldView> fields = FieldsOf(variant, payload);
    SHARDINE_RETURN_IF_ERROR(part.written.writer->Append(
        RecordOf({.id = list.id(source),
                  .key = list.key(source),
                  .labels = labels,
                  .fields = fields,
                  .facts = &payload.facts},
                 planned_.format.limits(), plan_.source().classes)));
    if (part.written.entry_points) {
      SHARDINE_RETURN_IF_ERROR(part.written.entry_points->Add(
          payload.entry_points, payload.damaged));
    }
    part.written.samples.push_back(
        {static_cast<std::uint32_t>(source), payload.digest});
  }
  return Status();
}

// Returns how many samples were rejected.
std::uint64_t PackPipeline::TakeNotes(PreparedBlock& block) {
  ShardNotes& notes = current_.notes;
  const std::size_t before = notes.rejects.size();
  for (std::size_t i = 0; i < block.samples.size(); ++i) {
    PreparedSample& sample = block.samples[i];
    if (sample.reject) notes.rejects.push_back(*std::move(sample.reject));
    if (!sample.packed) continue;
    const PreparedPayload& read = block.variants[0].payloads[i];
    notes.source_digest += read.digest;
    images_.Add(read, plan_.source().samples.key(sample.source));
    for (std::size_t n = 0; n < notes.sizes.size(); ++n) {
      const PreparedPayload& payload = block.variants[1 + n].payloads[i];
      notes.sizes[n].upscaled += payload.upscaled ? 1 : 0;
      notes.sizes[n].kept += payload.kept ? 1 : 0;
    }
  }
  return notes.rejects.size() - before;
}

}  // namespace shardine
