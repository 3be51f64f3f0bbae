#include "tasks/kept_shards.h"

#include <algorithm>
#include <span>
#include <utility>

#include "base/checksum.h"
#include "base/status_macros.h"
#include "base/stop_scope.h"
#include "pack/pack_plan.h"
#include "shardine/escape.h"
#include "tasks/task_note.h"

namespace shardine {
namespace {

// Between two looks for the note of a shard that others make.
constexpr std::int64_t kBetweenLooks = 200;  // milliseconds

std::int64_t NowInMilliseconds() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
}

// Samples are read as they are, without sizes and entry points. The pack itself
// decodes images where that is asked for.
ImagePolicy::Options ReadingPolicy(const KeptPlan& plan) {
  ImagePolicy::Options policy =
      PolicyOptions(plan.output(), plan.planned(), plan.pack());
  policy.short_sides.clear();
  policy.entry_points = EntryPoints::kNone;
  if (policy.check == ImageCheckLevel::kDecode) {
    policy.check = ImageCheckLevel::kHeader;
  }
  return policy;
}

}  // namespace

KeptShards::KeptShards(std::shared_ptr<const KeptPlan> plan,
                       std::uint32_t split, std::shared_ptr<ShardTurns> turns,
                       TaskFolder folder)
    : plan_(std::move(plan)),
      split_(split),
      turns_(std::move(turns)),
      folder_(std::move(folder)),
      policy_(plan_->planned().plan, ReadingPolicy(*plan_)),
      preparer_(plan_->sources(), plan_->planned().plan, policy_),
      seen_(plan_->planned().plan.shards().size()) {
  const auto& shards = plan_->planned().plan.shards();
  const auto is_own = [&](const PlannedShard& s) { return s.split == split; };
  const auto first = std::ranges::find_if(shards, is_own);
  first_ = static_cast<std::size_t>(first - shards.begin());
  count_ = static_cast<std::size_t>(std::ranges::count_if(shards, is_own));
}

Result<std::shared_ptr<KeptShards>> KeptShards::Open(
    std::shared_ptr<const KeptPlan> plan, std::uint32_t split,
    std::shared_ptr<ShardTurns> turns) {
  SHARDINE_ASSIGN_OR_RETURN(auto file, plan->OpenPlan());
  SHARDINE_ASSIGN_OR_RETURN(TaskFolder folder,
                            TaskFolder::Open(std::move(file), plan->job()));
  return std::shared_ptr<KeptShards>(new KeptShards(
      std::move(plan), split, std::move(turns), std::move(folder)));
}

OpenedSource KeptShards::SourceOf(std::shared_ptr<KeptShards> shards) {
  const KeptPlan& plan = *shards->plan_;
  const SourceSet& listed = plan.planned().plan.source();
  OpenedSource source;
  source.path = plan.output().path();
  source.folder = plan.output().path();
  source.split = listed.splits[shards->split_];
  source.variant = "original";
  for (const ClassInfo& info : listed.classes) {
    source.classes.push_back({info.name, info.label});
  }
  source.text_fields = listed.text_fields;
  source.warnings = plan.planned().warnings;
  Xxh3Stream order;
  std::uint64_t samples = 0;
  for (std::size_t i = 0; i < shards->count_; ++i) {
    const PlannedShard& shard = shards->PlannedOf(i);
    source.shards.push_back(plan.output().PathOf(shard.name));
    source.firsts.push_back(samples);
    for (std::uint64_t record = 0; record < shard.count; ++record) {
      order.UpdateLe(listed.samples.id(shards->SampleOf(i, record)));
    }
    samples += shard.count;
  }
  source.firsts.push_back(samples);
  source.order_digest = order.Digest();
  source.open = [shards](std::size_t shard) { return shards->OpenMade(shard); };
  source.awaited = std::move(shards);
  return source;
}

const PlannedShard& KeptShards::PlannedOf(std::size_t shard) const {
  return plan_->planned().plan.shards()[first_ + shard];
}

std::size_t KeptShards::SampleOf(std::size_t shard,
                                 std::uint64_t record) const {
  return plan_->planned().plan.SampleAt(PlannedOf(shard), record);
}

bool KeptShards::IsDone(std::size_t number) const {
  Seen& seen = seen_[number];
  if (seen.done) return true;
  auto note = folder_.FindDone(folder_.plan().shards()[number]);
  if (!note.ok()) {
    // Notes go once all manifests are there.
    const auto state = folder_.FindState();
    if (!state.ok() || !state->is_complete()) return false;
    SetAllDone();
    return true;
  }
  {
    const std::lock_guard lock(mutex_);
    noted_.emplace(number, std::move(note->variants.front().shard));
  }
  seen.done = true;
  return true;
}

void KeptShards::SetAllDone() const {
  for (Seen& seen : seen_) seen.done = true;
}

bool KeptShards::IsMade(std::size_t shard) const {
  Seen& seen = seen_[first_ + shard];
  if (seen.done) return true;
  const std::int64_t now = NowInMilliseconds();
  std::int64_t next = seen.next_look;
  if (now < next ||
      !seen.next_look.compare_exchange_strong(next, now + kBetweenLooks)) {
    return false;
  }
  return IsDone(first_ + shard);
}

void KeptShards::Want(std::size_t shard, std::span<const std::uint64_t>,
                      AheadBytes&) const {
  turns_->Want(first_ + shard);
}

Result<PooledShard> KeptShards::OpenMade(std::size_t shard) const {
  std::optional<ManifestShard> noted;
  {
    const std::lock_guard lock(mutex_);
    const auto found = noted_.find(first_ + shard);
    if (found != noted_.end()) noted = found->second;
  }
  return noted ? OpenNoted(*noted) : OpenFinished(shard);
}

Result<PooledShard> KeptShards::OpenNoted(const ManifestShard& shard) const {
  Manifest manifest;
  manifest.plan_digest = plan_->planned().plan.digest();
  manifest.splits.push_back(
      {.name = plan_->planned().plan.source().splits[split_],
       .samples = shard.samples,
       .content_digest = {},
       .names_digest = {},
       .order_digest = {},
       .shards = {shard}});
  const auto reader = DatasetReader::Of(
      plan_->output().storage(), plan_->output().path(), std::move(manifest));
  return OpenPooledShard(*reader, reader->shards().front(), pages_);
}

Result<PooledShard> KeptShards::OpenFinished(std::size_t shard) const {
  ShardPool::Opener open;
  {
    const std::lock_guard lock(mutex_);
    if (!finished_) {
      const OutputFolder& output = plan_->output();
      SHARDINE_ASSIGN_OR_RETURN(
          OpenedSource finished,
          OpenDatasetSource(
              output.storage(), output.path(),
              {.split = plan_->planned().plan.source().splits[split_]},
              plan_->job().formats));
      finished_ = std::move(finished);
    }
    open = finished_->open;
  }
  return open(shard);
}

Status KeptShards::Read(std::size_t shard, std::uint64_t record,
                        SampleRead& sample) const {
  turns_->Want(first_ + shard);
  const SourceList& list = plan_->planned().plan.source().samples;
  const std::size_t source = SampleOf(shard, record);
  const PreparedBlock block =
      preparer_.Prepare({.shard = first_ + shard, .first = record, .count = 1},
                        {}, CurrentStop());
  const Where where{.key = std::string(list.key(source))};
  if (!block.status.ok()) return Status(block.status).At(where);
  if (block.samples.empty() || !block.samples.front().packed) {
    return Status(Code::kFailed, "the image is left out of the dataset")
        .At(where);
  }
  const PreparedPayload& payload = block.variants.front().payloads.front();
  sample.entry = {};
  sample.entry.id = list.id(source);
  list.GetLabels(source, sample.entry.labels);
  sample.entry.content_digest = payload.digest;
  sample.entry.facts = payload.facts;
  CopyFields(FieldsOf(block.variants.front(), payload), sample);
  return Status();
}

Status KeptShards::AddLabels(std::size_t shard, std::uint64_t first,
                             std::uint64_t count,
                             std::vector<IndexEntry>& entries) const {
  const SourceList& list = plan_->planned().plan.source().samples;
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::size_t source = SampleOf(shard, first + i);
    IndexEntry& entry = entries.emplace_back();
    entry.id = list.id(source);
    list.GetLabels(source, entry.labels);
  }
  return Status();
}

Status KeptShards::Keys(std::size_t shard, std::uint64_t first,
                        std::uint64_t count,
                        std::vector<std::string>& keys) const {
  const SourceList& list = plan_->planned().plan.source().samples;
  keys.resize(count);
  for (std::uint64_t i = 0; i < count; ++i) {
    keys[i] = list.key(SampleOf(shard, first + i));
  }
  return Status();
}

}  // namespace shardine
