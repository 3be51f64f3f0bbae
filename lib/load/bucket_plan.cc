#include "load/bucket_plan.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

#include "base/check.h"
#include "base/checksum.h"
#include "base/status_macros.h"
#include "base/wide_integer.h"
#include "dataset/sample_source.h"
#include "dataset/undecoded_images.h"
#include "load/epoch_order.h"
#include "load/image_sizes.h"
#include "load/nearest_bucket.h"
#include "load/sample_choice.h"
#include "pipeline/parallel_for.h"
#include "pipeline/processor_share.h"
#include "shardine/loader_words.h"

namespace shardine {
namespace {

// Positions in tables have 32 bits.
constexpr std::uint64_t kMostBucketed = std::uint64_t{1} << 32;
// The epoch at work, and the one that is prefetched.
constexpr std::size_t kTables = 2;
// In this last part of an epoch one thread makes the next one's order, and all
// others need not wait for it.
constexpr std::uint64_t kForeseen = 16;
// Places of an order that are looked up at a time, and by a thread.
constexpr std::uint64_t kOrdered = std::uint64_t{1} << 20;
constexpr std::size_t kPiece = std::size_t{1} << 15;

std::uint64_t TotalOf(const BucketPlan::Counts& counts) {
  return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
}

// Counts samples that no bucket is known for.
class UnknownSizes {
 public:
  explicit UnknownSizes(const LoaderOptions& options) : options_(options) {}

  void Add(std::uint64_t number, const IndexEntry& entry) {
    if (options_.on_bad != OnBadSample::kFail) return;
    const bool is_dropped =
        options_.unsupported == OnUnsupported::kDrop &&
        !UndecodedKindOf(entry, options_.image_layout).empty();
    if (!is_dropped && count_++ == 0) first_ = number;
  }

  Status Check(const SampleSource& source, const SampleChoice& choice) const {
    if (count_ == 0) return {};
    return Status(Code::kInvalidArgument,
                  "buckets: the index knows no image size of " +
                      std::to_string(count_) + " of " +
                      std::to_string(choice.size()) +
                      " samples; on_bad \"drop\" leaves out those without a "
                      "readable image")
        .At(source.WhereIs(choice(first_)));
  }

 private:
  const LoaderOptions& options_;
  std::uint64_t count_ = 0;
  std::uint64_t first_ = 0;
};

}  // namespace

struct BucketPlan::Walk {
  struct Rest {  // the last step of a bucket, that is not full
    std::uint32_t bucket;
    std::uint64_t samples;  // from its position to the one behind it
  };
  Counts base;              // at the epoch's beginning
  std::uint64_t begin = 0;  // their sum
  std::uint64_t full = 0;   // steps of K samples, which come first
  std::vector<Rest> rests;
};

struct BucketPlan::Table {
  struct Full {  // a step of K samples
    std::uint32_t bucket;
    std::uint32_t first;  // in the bucket's epoch
  };
  std::uint64_t epoch = 0;
  std::once_flag filled;               // all below
  std::vector<std::uint64_t> firsts;   // of each bucket in `numbers`
  std::vector<std::uint32_t> numbers;  // by bucket, in the epoch's order
  std::vector<Full> steps;
};

Result<std::unique_ptr<BucketPlan>> BucketPlan::Make(
    const SampleSource& source, const SampleChoice& choice,
    const LoaderOptions& options, const std::stop_token& stop) {
  if (choice.size() >= kMostBucketed) {
    return Status(Code::kUnsupported, "buckets: of 2^32 samples or more");
  }
  const NearestBucket nearest(options.buckets);
  UnknownSizes unknown(options);
  std::vector<std::uint8_t> bucket_of;
  bucket_of.reserve(choice.size());
  SHARDINE_RETURN_IF_ERROR(ForEachImageSize(
      source, choice, options, "buckets: by aspect ratio",
      [&](std::uint64_t number, const IndexEntry& entry, PixelSize size) {
        const bool is_known = size.width > 0 && size.height > 0;
        if (!is_known) unknown.Add(number, entry);
        bucket_of.push_back(is_known ? nearest(size) : std::uint8_t{0});
        return Status();
      },
      stop));
  SHARDINE_RETURN_IF_ERROR(unknown.Check(source, choice));
  auto plan = std::make_unique<BucketPlan>(options, std::move(bucket_of));
  SHARDINE_RETURN_IF_ERROR(plan->CheckWhole(options));
  return plan;
}

BucketPlan::BucketPlan(const LoaderOptions& options,
                       std::vector<std::uint8_t> bucket_of)
    : order_(options.order),
      seed_(options.seed),
      step_(std::uint64_t{options.world} * options.batch_size),
      last_batch_(options.last_batch),
      threads_(ThreadCount(options.threads)),
      bucket_of_(std::move(bucket_of)),
      samples_(options.buckets.size()),
      begun_(options.buckets.size()) {
  Xxh3Stream stream;
  for (const auto& [height, width] : options.buckets) {
    stream.UpdateLe(height);
    stream.UpdateLe(width);
  }
  stream.Update(std::as_bytes(std::span(bucket_of_)));
  digest_ = stream.Digest();
  for (const std::uint8_t bucket : bucket_of_) ++samples_[bucket];
  for (const std::uint64_t samples : samples_) {
    plans_.emplace_back(samples, options.batch_size, options.rank,
                        options.world, options.last_batch);
  }
}

// Samples that no epoch delivers must not be lost without a word, and kRoll
// would need the order of many epochs at a time.
Status BucketPlan::CheckWhole(const LoaderOptions& options) const {
  if (last_batch_ != LastBatch::kDrop && last_batch_ != LastBatch::kRoll) {
    return {};
  }
  for (std::size_t i = 0; i < samples_.size(); ++i) {
    if (samples_[i] == 0 || samples_[i] >= step_) continue;
    return Status(Code::kInvalidArgument,
                  "buckets: " + BucketName(options.buckets[i]) + " has " +
                      std::to_string(samples_[i]) + " of " +
                      std::to_string(bucket_of_.size()) +
                      " samples and a step takes " + std::to_string(step_) +
                      ": with last_batch \"" + WordOf(last_batch_) +
                      "\" they would never come; \"short\" and \"pad\" "
                      "deliver them, or take other buckets");
  }
  return {};
}

// The samples of an epoch of the bucket that were taken before it begins: by
// the walk's first place, or by a step of kRoll.
std::uint64_t BucketPlan::BaseOf(std::size_t bucket,
                                 std::uint64_t epoch) const {
  if (epoch < begun_epoch_) return plans_[bucket].Begin(epoch).position;
  const Wide before = Wide{samples_[bucket]} * (epoch - begun_epoch_);
  const std::uint64_t begun = begun_[bucket];
  if (before <= begun) return begun - static_cast<std::uint64_t>(before);
  if (last_batch_ != LastBatch::kRoll) return 0;
  const std::uint64_t over = Divide(before - begun, step_).rest;
  return over == 0 ? 0 : step_ - over;
}

BucketPlan::Walk BucketPlan::WalkOf(std::uint64_t epoch) const {
  Walk walk;
  walk.base.resize(samples_.size());
  for (std::uint32_t i = 0; i < samples_.size(); ++i) {
    walk.base[i] = BaseOf(i, epoch);
    walk.begin += walk.base[i];
    const std::uint64_t left =
        samples_[i] - std::min(walk.base[i], samples_[i]);
    walk.full += left / step_;
    const std::uint64_t rest = left % step_;
    if (rest == 0 || last_batch_ == LastBatch::kDrop) continue;
    walk.rests.push_back({i, last_batch_ == LastBatch::kRoll ? step_ : rest});
  }
  return walk;
}

StreamPosition BucketPlan::Begin(std::uint64_t epoch) const {
  return {epoch, TotalOf(CountsOfBegin(epoch))};
}

BucketPlan::Counts BucketPlan::CountsOfBegin(std::uint64_t epoch) const {
  Counts counts;
  for (const StepPlan& plan : plans_) {
    counts.push_back(plan.Begin(epoch).position);
  }
  return counts;
}

std::uint64_t BucketPlan::StepsOf(std::uint64_t epoch) const {
  std::uint64_t steps = 0;
  for (const StepPlan& plan : plans_) steps += plan.StepsOf(epoch);
  return steps;
}

std::uint64_t BucketPlan::StepsLeft(const StreamPosition& from) const {
  const Walk walk = WalkOf(from.epoch);
  SHARDINE_CHECK(from.position >= walk.begin);
  std::uint64_t behind = from.position - walk.begin;
  if (behind < walk.full * step_) {
    return walk.full - behind / step_ + walk.rests.size();
  }
  behind -= walk.full * step_;
  std::uint64_t left = walk.rests.size();
  for (const Walk::Rest& rest : walk.rests) {
    if (behind == 0) break;
    behind -= std::min(behind, rest.samples);
    --left;
  }
  return left;
}

StreamPosition BucketPlan::Behind(const StreamPosition& from) const {
  const Walk walk = WalkOf(from.epoch);
  const std::uint64_t left = StepsLeft(from);
  SHARDINE_CHECK(left > 0);
  const std::uint64_t samples =
      left > walk.rests.size() ? step_
                               : walk.rests[walk.rests.size() - left].samples;
  return {from.epoch, from.position + samples};
}

StreamPosition BucketPlan::EndOf(const StreamPosition& from) const {
  const Walk walk = WalkOf(from.epoch);
  std::uint64_t end = walk.begin + walk.full * step_;
  for (const Walk::Rest& rest : walk.rests) end += rest.samples;
  return {from.epoch, end};
}

StreamPosition BucketPlan::Next(const StreamPosition& end) const {
  return {end.epoch + 1, WalkOf(end.epoch + 1).begin};
}

std::uint64_t BucketPlan::StepsOfEpochAt(const StreamPosition& from) const {
  const Counts base = WalkOf(from.epoch).base;
  std::uint64_t steps = 0;
  for (std::size_t i = 0; i < plans_.size(); ++i) {
    steps += plans_[i].StepsOfEpochAt({from.epoch, base[i]});
  }
  return steps;
}

StreamPosition BucketPlan::Canonical(const StreamPosition& place) const {
  StreamPosition canonical = place;
  while (StepsLeft(canonical) == 0) canonical = Next(canonical);
  return canonical;
}

BucketPlan::Part BucketPlan::PartAt(const StreamPosition& from) const {
  const Walk walk = WalkOf(from.epoch);
  const std::uint64_t left = StepsLeft(from);
  SHARDINE_CHECK(left > 0);
  std::uint32_t bucket = 0;
  std::uint64_t first = 0;
  if (left > walk.rests.size()) {
    const auto table = TableOf(from.epoch);
    const Table::Full& step =
        table->steps[(from.position - walk.begin) / step_];
    bucket = step.bucket;
    first = step.first;
  } else {
    bucket = walk.rests[walk.rests.size() - left].bucket;
    const std::uint64_t base = walk.base[bucket];
    first = base + (samples_[bucket] - base) / step_ * step_;
  }
  return {bucket, plans_[bucket].Slice({from.epoch, first})};
}

void BucketPlan::SamplesOf(const Part& part, std::uint32_t first,
                           std::span<StreamPosition> samples) const {
  std::shared_ptr<const Table> table;
  const std::uint64_t all = samples_[part.bucket];
  if (part.slice.first.position >= all - all / kForeseen) {
    TableOf(part.slice.first.epoch + 1, true);
  }
  for (StreamPosition& sample : samples) {
    sample = plans_[part.bucket].At(part.slice, first++);
    if (table == nullptr || table->epoch != sample.epoch) {
      table = TableOf(sample.epoch);
    }
    sample.position =
        table->numbers[table->firsts[part.bucket] + sample.position];
  }
}

BucketPlan::Counts BucketPlan::CountsAt(const StreamPosition& place) const {
  Walk walk = WalkOf(place.epoch);
  std::uint64_t behind = place.position - walk.begin;
  const std::uint64_t full = std::min(behind / step_, walk.full);
  if (full > 0) {
    const auto table = TableOf(place.epoch);
    for (std::uint64_t i = 0; i < full; ++i) {
      walk.base[table->steps[i].bucket] += step_;
    }
  }
  behind -= full * step_;
  for (const Walk::Rest& rest : walk.rests) {
    if (behind == 0) break;
    walk.base[rest.bucket] += rest.samples;
    behind -= std::min(behind, rest.samples);
  }
  return std::move(walk.base);
}

Status BucketPlan::CheckCounts(const Counts& counts) const {
  if (counts.size() != samples_.size()) {
    return Status(Code::kInvalidArgument,
                  std::to_string(counts.size()) + " counts of " +
                      std::to_string(samples_.size()) + " buckets");
  }
  for (std::size_t i = 0; i < counts.size(); ++i) {
    // A step of kRoll takes an epoch's samples at most of the next one.
    if (counts[i] <= 2 * samples_[i]) continue;
    return Status(Code::kInvalidArgument,
                  std::to_string(counts[i]) + " samples of bucket " +
                      std::to_string(i) + ", which has " +
                      std::to_string(samples_[i]));
  }
  return {};
}

StreamPosition BucketPlan::MoveTo(std::uint64_t epoch, Counts counts) {
  const std::lock_guard lock(mutex_);
  tables_.clear();
  begun_epoch_ = epoch;
  begun_ = std::move(counts);
  return Canonical({epoch, TotalOf(begun_)});
}

bool BucketPlan::IsAt(const StreamPosition& place, std::uint64_t epoch,
                      const Counts& counts) const {
  return place == StreamPosition{epoch, TotalOf(counts)} &&
         CountsAt(place) == counts;
}

// Null: it is there, or another thread makes it.
std::shared_ptr<BucketPlan::Table> BucketPlan::FindTable(std::uint64_t epoch,
                                                         bool only_new) const {
  const std::lock_guard lock(mutex_);
  const auto at = std::ranges::find_if(
      tables_, [&](const auto& table) { return table->epoch == epoch; });
  if (at != tables_.end()) {
    if (only_new) return nullptr;
    std::rotate(at, at + 1, tables_.end());
    return tables_.back();
  }
  if (tables_.size() == kTables) tables_.erase(tables_.begin());
  auto table = std::make_shared<Table>();
  table->epoch = epoch;
  return tables_.emplace_back(std::move(table));
}

std::shared_ptr<const BucketPlan::Table> BucketPlan::TableOf(
    std::uint64_t epoch, bool only_new) const {
  const std::shared_ptr<Table> table = FindTable(epoch, only_new);
  if (table != nullptr) {
    std::call_once(table->filled, [&] { Fill(*table); });
  }
  return table;
}

void BucketPlan::Fill(Table& table) const {
  table.firsts.resize(samples_.size());
  std::exclusive_scan(samples_.begin(), samples_.end(), table.firsts.begin(),
                      std::uint64_t{0});
  table.numbers.resize(bucket_of_.size());
  const Walk walk = WalkOf(table.epoch);
  table.steps.reserve(walk.full);
  Counts met(samples_.size());
  const auto add = [&](std::uint32_t number) {
    const std::uint8_t bucket = bucket_of_[number];
    table.numbers[table.firsts[bucket] + met[bucket]] = number;
    const std::uint64_t behind = ++met[bucket];
    const std::uint64_t base = walk.base[bucket];
    if (behind <= base || (behind - base) % step_ != 0) return;
    table.steps.push_back({bucket, static_cast<std::uint32_t>(behind - step_)});
  };
  const EpochOrder order(bucket_of_.size(), order_, seed_, table.epoch);
  // The order takes most of the time, and each place of it is a function of its
  // own.
  std::vector<std::uint32_t> numbers;
  for (std::uint64_t first = 0; first < order.size(); first += numbers.size()) {
    numbers.resize(std::min(kOrdered, order.size() - first));
    const std::size_t pieces = (numbers.size() + kPiece - 1) / kPiece;
    const Status done = ParallelFor(pieces, threads_, [&](std::size_t piece) {
      const std::size_t end = std::min((piece + 1) * kPiece, numbers.size());
      for (std::size_t i = piece * kPiece; i < end; ++i) {
        numbers[i] = static_cast<std::uint32_t>(order(first + i));
      }
      return Status();
    });
    SHARDINE_CHECK(done.ok());
    std::ranges::for_each(numbers, add);
  }
}

}  // namespace shardine
