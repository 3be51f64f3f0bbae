#include "source/shard_plan.h"

#include <algorithm>
#include <cstdio>
#include <limits>
#include <utility>

#include "base/check.h"
#include "base/checksum.h"
#include "base/permutation.h"
#include "base/status_macros.h"
#include "pipeline/parallel_for.h"
#include "pipeline/processor_share.h"
#include "source/field_file.h"
#include "source/split.h"

namespace shardine {
namespace {

void HashString(std::string_view text, Xxh3Stream& hash) {
  hash.UpdateLe(static_cast<std::uint32_t>(text.size()));
  hash.Update(AsBytes(text));
}

void HashLabels(const std::vector<Label>& labels, Xxh3Stream& hash) {
  hash.UpdateLe(static_cast<std::uint32_t>(labels.size()));
  for (const Label& label : labels) {
    hash.UpdateLe(label.is_integer() ? 'i' : 'f');
    if (label.is_integer()) {
      hash.UpdateLe(label.integer());
    } else {
      hash.UpdateLe(label.real());
    }
  }
}

// The sample at each position after shuffling.
std::vector<std::uint32_t> Shuffled(const std::vector<std::uint32_t>& members,
                                    const Permutation& order) {
  std::vector<std::uint32_t> shuffled(members.size());
  for (std::size_t i = 0; i < members.size(); ++i) {
    shuffled[i] = members[order(i)];
  }
  return shuffled;
}

// Splits in the order of their names, whatever order they were given in.
std::vector<std::uint32_t> ByName(const std::vector<std::string>& names) {
  std::vector<std::uint32_t> order(names.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
  std::sort(order.begin(), order.end(),
            [&](auto a, auto b) { return names[a] < names[b]; });
  return order;
}

}  // namespace

std::string ShardName(const std::string& split, std::uint64_t number,
                      std::uint64_t count, std::string_view suffix) {
  char text[32];
  std::snprintf(text, sizeof(text), "-%05llu-of-%05llu",
                static_cast<unsigned long long>(number),
                static_cast<unsigned long long>(count));
  return split + text + std::string(suffix);
}

bool IsShardName(std::string_view name, std::string_view suffix) {
  constexpr std::string_view kForm = "-00000-of-00000";
  if (!name.ends_with(suffix)) return false;
  name.remove_suffix(suffix.size());
  if (name.size() <= kForm.size()) return false;
  return std::ranges::equal(
      name.substr(name.size() - kForm.size()), kForm,
      [](char a, char b) { return b == '0' ? a >= '0' && a <= '9' : a == b; });
}

Result<ShardPlan> ShardPlan::Make(SourceSet source,
                                  const ShardPlanOptions& options) {
  const std::size_t samples = source.samples.size();
  if (samples == 0) {
    return Status(Code::kInvalidArgument, "the source holds no images");
  }
  if (samples > std::numeric_limits<std::uint32_t>::max()) {
    return Status(Code::kInvalidArgument, "more than 2^32 samples");
  }
  ShardPlan plan;
  plan.source_ = std::move(source);
  plan.GatherSplits(options);
  SHARDINE_RETURN_IF_ERROR(plan.CutShards(options));
  plan.ComputeDigest(options);
  SHARDINE_RETURN_IF_ERROR(plan.ComputeShardDigests(options));
  return plan;
}

Result<ShardPlan> ShardPlan::Part(SourceSet source,
                                  std::vector<PlannedShard> shards,
                                  const std::string& fingerprint,
                                  const Digest128& digest) {
  ShardPlan plan = Outline(std::move(source), std::move(shards), digest);
  std::uint64_t listed = 0;
  std::vector<Digest128> stated;
  for (PlannedShard& shard : plan.shards_) {
    shard.listed_at = listed;
    listed += shard.count;
    stated.push_back(shard.digest);
  }
  const SourceList& samples = plan.source_.samples;
  SHARDINE_CHECK(listed == samples.size());
  for (std::size_t i = 0; i < samples.size(); ++i) {
    plan.bytes_ += samples.facts(i).size;
  }
  ShardPlanOptions options;
  options.fingerprint = fingerprint;
  SHARDINE_RETURN_IF_ERROR(plan.ComputeShardDigests(options));
  for (std::size_t i = 0; i < stated.size(); ++i) {
    if (plan.shards_[i].digest == stated[i]) continue;
    return Status(Code::kCorrupt, "the plan says something else of the shard " +
                                      plan.shards_[i].name +
                                      " than of its samples");
  }
  return plan;
}

ShardPlan ShardPlan::Outline(SourceSet source, std::vector<PlannedShard> shards,
                             const Digest128& digest) {
  ShardPlan plan;
  plan.source_ = std::move(source);
  plan.shards_ = std::move(shards);
  plan.digest_ = digest;
  return plan;
}

void ShardPlan::GatherSplits(const ShardPlanOptions& options) {
  const SourceList& samples = source_.samples;
  std::vector<std::uint64_t> counts(source_.splits.size());
  for (std::size_t i = 0; i < samples.size(); ++i) ++counts[samples.split(i)];
  splits_.resize(counts.size());
  for (std::size_t s = 0; s < counts.size(); ++s) {
    splits_[s].members.reserve(counts[s]);
  }
  for (std::size_t i = 0; i < samples.size(); ++i) {
    Split& split = splits_[samples.split(i)];
    split.members.push_back(static_cast<std::uint32_t>(i));
    split.bytes += samples.facts(i).size;
  }
  for (std::size_t s = 0; s < splits_.size(); ++s) {
    bytes_ += splits_[s].bytes;
    if (!options.shuffle) continue;
    splits_[s].members =
        Shuffled(splits_[s].members,
                 Permutation(counts[s], options.seed,
                             "pack:" + source_.splits[s], 0, kPlanShuffle));
  }
}

// The samples of each shard of a split that has any.
Result<std::vector<std::uint64_t>> ShardPlan::CountsOf(
    std::uint32_t split, const ShardPlanOptions& options) const {
  if (split < options.shard_samples.size() &&
      !options.shard_samples[split].empty()) {
    return options.shard_samples[split];
  }
  const std::uint64_t n = splits_[split].members.size();
  std::uint64_t count = options.shards;
  if (count == 0) {
    count = splits_[split].bytes / options.shard_bytes +
            (splits_[split].bytes % options.shard_bytes != 0 ? 1 : 0);
  }
  // An empty shard would be of no use.
  count = std::clamp<std::uint64_t>(count, 1, n);
  if (count > kMaxShards) {
    return Status(Code::kInvalidArgument,
                  "split " + source_.splits[split] + " would need " +
                      std::to_string(count) +
                      " shards; at most 99999 can be numbered: use a larger "
                      "shard size");
  }
  std::vector<std::uint64_t> counts;
  for (std::uint64_t k = 0; k < count; ++k) {
    // k n / count without overflow: both factors are below 2^32.
    counts.push_back((k + 1) * n / count - k * n / count);
  }
  return counts;
}

Status ShardPlan::CutShards(const ShardPlanOptions& options) {
  for (const std::uint32_t s : ByName(source_.splits)) {
    if (splits_[s].members.empty()) continue;
    SHARDINE_ASSIGN_OR_RETURN(const auto counts, CountsOf(s, options));
    std::uint64_t first = 0;
    for (std::uint64_t k = 0; k < counts.size(); ++k) {
      shards_.push_back(
          {ShardName(source_.splits[s], k, counts.size(), options.suffix), s,
           first, counts[k]});
      first += counts[k];
    }
  }
  return Status();
}

void ShardPlan::ComputeDigest(const ShardPlanOptions& options) {
  Xxh3Stream hash;
  HashString(options.fingerprint, hash);
  hash.UpdateLe(options.seed);
  hash.UpdateLe(static_cast<std::uint8_t>(options.shuffle));
  hash.UpdateLe(static_cast<std::uint32_t>(shards_.size()));
  for (const PlannedShard& shard : shards_) {
    HashString(shard.name, hash);
    hash.UpdateLe(shard.first);
  }
  const Digest128 classes = ClassMapDigest(source_.classes);
  hash.UpdateLe(classes.low);
  hash.UpdateLe(classes.high);
  for (const ClassInfo& info : source_.classes) {
    // Texts, and boxes below, add to the digest only where there are any: a
    // source without them has one digest, whether or not there is such an
    // option.
    if (!info.text.empty()) HashString(info.text, hash);
  }
  if (!source_.boxes.empty()) {
    const Digest128 boxes = source_.boxes.digest();
    hash.UpdateLe(boxes.low);
    hash.UpdateLe(boxes.high);
  }
  for (const TableColumn& column : source_.columns) {
    HashString(column.name, hash);
    hash.UpdateLe(static_cast<std::uint8_t>(column.type));
  }
  for (const Category& category : source_.categories) {
    HashString(category.id, hash);
    HashString(category.name, hash);
    HashString(category.source, hash);
  }
  // Unusable files decide the result as well: the list of rejects is part of a
  // dataset.
  for (const SourceProblem& bad : source_.bad) {
    HashString(bad.key, hash);
    HashString(bad.reason, hash);
  }
  std::vector<Label> labels;
  for (std::size_t i = 0; i < source_.samples.size(); ++i) {
    HashSample(i, labels, hash);
  }
  digest_ = hash.Digest();
}

// `labels` is memory to use.
void ShardPlan::HashSample(std::size_t index, std::vector<Label>& labels,
                           Xxh3Stream& hash) const {
  const SourceList& samples = source_.samples;
  hash.UpdateLe(samples.id(index));
  HashString(source_.splits[samples.split(index)], hash);
  HashString(samples.key(index), hash);
  samples.GetLabels(index, labels);
  HashLabels(labels, hash);
  hash.UpdateLe(samples.facts(index).size);
  if (HasFieldFiles(source_)) {
    HashString(DecidingCells(source_, index), hash);
  } else if (!source_.columns.empty()) {
    HashString(samples.fields(index), hash);
  }
}

Status ShardPlan::ComputeShardDigests(const ShardPlanOptions& options) {
  Xxh3Stream common;
  // The first word keeps these digests apart from the plan's.
  HashString("shard " + options.fingerprint, common);
  const Digest128 classes = ClassMapDigest(source_.classes);
  common.UpdateLe(classes.low);
  common.UpdateLe(classes.high);
  for (const ClassInfo& info : source_.classes) HashString(info.text, common);
  for (const TableColumn& column : source_.columns) {
    HashString(column.name, common);
    common.UpdateLe(static_cast<std::uint8_t>(column.type));
  }
  const Digest128 begin = common.Digest();
  return ForEachShard([&](std::size_t number) {
    PlannedShard& shard = shards_[number];
    std::vector<Label> labels;
    Xxh3Stream hash;
    hash.UpdateLe(begin.low);
    hash.UpdateLe(begin.high);
    for (std::uint64_t i = 0; i < shard.count; ++i) {
      const std::size_t sample = SampleAt(shard, i);
      HashSample(sample, labels, hash);
      if (source_.boxes.empty()) continue;
      const auto boxes = source_.boxes.Find(source_.samples.path(sample));
      hash.UpdateLe(static_cast<std::uint32_t>(boxes.size()));
      hash.Update(std::as_bytes(boxes));
    }
    shard.digest = hash.Digest();
    return Status();
  });
}

Status ShardPlan::ForEachShard(
    const std::function<Status(std::size_t)>& work) const {
  // No thread is worth its start for fewer samples.
  constexpr std::size_t kSamplesOfThread = std::size_t{1} << 16;
  const bool few = source_.samples.size() < kSamplesOfThread;
  return ParallelFor(shards_.size(), few ? 1 : ThreadCount(0), work);
}

std::size_t ShardPlan::SampleAt(const PlannedShard& shard,
                                std::uint64_t offset) const {
  if (shard.listed_at) return *shard.listed_at + offset;
  return splits_[shard.split].members[shard.first + offset];
}

}  // namespace shardine
