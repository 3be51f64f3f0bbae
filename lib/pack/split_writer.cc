#include "pack/split_writer.h"

#include <algorithm>
#include <cstdio>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "base/status_macros.h"
#include "dataset/index_entry.h"
#include "pack/shard_publisher.h"
#include "source/shard_plan.h"

namespace shardine {
namespace {

// A sample without a byte still takes memory until its shard ends, and a row in
// the sidecar: without a weight of its own a shard could have any number of
// them.
constexpr std::uint64_t kSampleWeight = 64;

// Beside a shard: a sample's row, and pages that are not full.
constexpr std::uint64_t kRowBytes = 256;
constexpr std::uint64_t kPagesBytes = std::uint64_t{64} << 10;

std::string StagedShardName(const std::string& split, std::size_t number,
                            std::string_view suffix) {
  char text[16];
  std::snprintf(text, sizeof(text), "-%05zu", number);
  return split + text + std::string(suffix);
}

std::uint64_t WeightOf(const CheckedSample& checked) {
  return checked.bytes + checked.view.key.size() +
         checked.view.labels.size() * sizeof(Label) + kSampleWeight;
}

}  // namespace

struct SplitWriter::OpenShard {
  PlannedShard shard;  // with its name of the staging folder
  SourceSet source;    // its samples
  std::unordered_set<std::string_view> keys;  // views of `source`
  std::uint64_t weight = 0;
  WrittenShard written;
};

SplitWriter::SplitWriter(const StagedWork& work, std::string split)
    : work_(work), split_(std::move(split)) {}
SplitWriter::~SplitWriter() = default;
SplitWriter::SplitWriter(SplitWriter&&) noexcept = default;

Status SplitWriter::BeginShard() {
  if (shards_.size() == kMaxShards) {
    return Status(Code::kInvalidArgument,
                  "split " + split_ +
                      " would need more than the 99999 shards that can be "
                      "numbered: use a larger shard size");
  }
  auto open = std::make_unique<OpenShard>();
  open->shard.name =
      StagedShardName(split_, shards_.size(), work_.format.format->suffix);
  open->source.splits = {split_};
  open->source.classes = work_.classes;
  const ShardPublisher publisher(work_.folder, open->source, work_.format,
                                 work_.entry_points, work_.variant);
  SHARDINE_ASSIGN_OR_RETURN(open->written, publisher.Begin(open->shard));
  open_ = std::move(open);
  return Status();
}

Status SplitWriter::Append(const CheckedSample& checked,
                           const std::stop_token& stop) {
  const SampleView& sample = checked.view;
  const std::uint64_t weight = WeightOf(checked);
  if (open_ != nullptr &&
      (open_->written.samples.size() == work_.shard_samples ||
       open_->weight + weight > work_.shard_bytes)) {
    SHARDINE_RETURN_IF_ERROR(EndShard(stop));
  }
  if (open_ == nullptr) SHARDINE_RETURN_IF_ERROR(BeginShard());
  // A duplicate key within a shard is reported at once, while the caller knows
  // its source. Duplicates across shards are found at the end, in the sidecars
  // (pack/duplicate_names.h).
  if (open_->keys.contains(sample.key)) {
    return Status(Code::kInvalidArgument,
                  "split " + split_ + " has a sample of this key already");
  }
  WrittenShard& written = open_->written;
  SHARDINE_RETURN_IF_ERROR(written.writer->Append(
      RecordOf(sample, work_.format.limits(), work_.classes)));
  if (written.entry_points) {
    SHARDINE_RETURN_IF_ERROR(written.entry_points->Add(
        checked.image.entry_points, checked.image.damaged));
  }
  SourceList& list = open_->source.samples;
  const std::size_t i = list.Add(sample.key, sample.id, sample.labels, 0);
  list.SetFacts(i, {.size = checked.bytes});
  // The view is into the list's own copy: the sample's key is only valid during
  // this call.
  open_->keys.insert(list.key(i));
  open_->weight += weight;
  written.samples.push_back({static_cast<std::uint32_t>(i), checked.digest});
  return Status();
}

std::uint64_t SplitWriter::BytesToEndShard() const {
  if (open_ == nullptr) return 0;
  const ShardPublisher publisher(work_.folder, open_->source, work_.format,
                                 work_.entry_points, work_.variant);
  const auto there = work_.folder.storage().Stat(
      publisher.TemporaryPaths(open_->shard.name).shard);
  const std::uint64_t on_disk = there.ok() ? there->size : 0;
  const std::uint64_t unwritten =
      open_->weight - std::min(open_->weight, on_disk);
  const std::uint64_t beside =
      open_->weight / 8 + open_->written.samples.size() * kRowBytes;
  return unwritten + beside + kPagesBytes;
}

Status SplitWriter::EndShard(const std::stop_token& stop) {
  if (open_ == nullptr) return Status();
  const std::uint64_t samples = open_->written.samples.size();
  // The digest of a shard's part of a plan depends on nothing but the shard, so
  // that a plan of this shard alone gives the one that it would have in the
  // whole.
  ShardPlanOptions options;
  options.shuffle = false;
  options.shard_samples = {{samples}};
  options.fingerprint = work_.fingerprint;
  SHARDINE_ASSIGN_OR_RETURN(ShardPlan plan,
                            ShardPlan::Make(std::move(open_->source), options));
  // Functions are copied, and this is one of a kind.
  const std::shared_ptr<OpenShard> ended = std::move(open_);
  ended->shard.digest = plan.shards().front().digest;
  const auto publish =
      [&work = work_, ended, stop,
       plan = std::make_shared<const ShardPlan>(std::move(plan))] {
        const ShardPublisher publisher(work.folder, plan->source(), work.format,
                                       work.entry_points, work.variant);
        return publisher.Publish(std::move(ended->written), stop);
      };
  SHARDINE_RETURN_IF_ERROR(
      work_.finisher == nullptr ? publish() : work_.finisher->Begin(publish));
  shards_.push_back({ended->shard.name, samples, ended->shard.digest});
  return Status();
}

}  // namespace shardine
