#include "load/step_plan.h"

#include <algorithm>

#include "base/check.h"

namespace shardine {
namespace {

// A position plus a step stays below 2^63, so that no sum here wraps.
constexpr std::uint64_t kLimit = std::uint64_t{1} << 62;

// a * b mod m, bit by bit: the product may not fit. REQUIRES: m < 2^63.
std::uint64_t MultiplyModulo(std::uint64_t a, std::uint64_t b,
                             std::uint64_t m) {
  std::uint64_t product = 0;
  for (a %= m; b > 0; b >>= 1) {
    if (b & 1) product = (product + a) % m;
    a = (a + a) % m;
  }
  return product;
}

}  // namespace

StepPlan::StepPlan(std::uint64_t samples, std::uint32_t batch_size,
                   std::uint32_t rank, std::uint32_t world,
                   LastBatch last_batch, const Dealing& dealing)
    : samples_(samples),
      batch_size_(batch_size),
      rank_(rank),
      world_(world),
      step_(batch_size_ * world_),
      last_batch_(last_batch),
      dealing_(dealing) {
  SHARDINE_CHECK(batch_size > 0 && world > 0 && rank < world);
  SHARDINE_CHECK(samples < kLimit && step_ < kLimit);
  SHARDINE_CHECK(batch_size % dealing.unit == 0 && samples % dealing.unit == 0);
}

StreamPosition StepPlan::Begin(std::uint64_t epoch) const {
  if (last_batch_ != LastBatch::kRoll) return {epoch, 0};
  // The stream of epochs 0, 1, 2, ... is cut at every multiple of K. Before
  // this epoch it has samples * epoch samples, and the rest of a step that
  // these began reaches into the epoch.
  const std::uint64_t over = MultiplyModulo(samples_, epoch, step_);
  return {epoch, over == 0 ? 0 : step_ - over};
}

std::uint64_t StepPlan::Left(const StreamPosition& from) const {
  return samples_ - std::min(from.position, samples_);
}

std::uint64_t StepPlan::StepsLeft(const StreamPosition& from) const {
  const std::uint64_t left = Left(from);
  const bool partial = last_batch_ != LastBatch::kDrop && left % step_ != 0;
  return left / step_ + (partial ? 1 : 0);
}

RankSlice StepPlan::Slice(const StreamPosition& from) const {
  SHARDINE_CHECK(StepsLeft(from) > 0);
  const std::uint64_t left = Left(from);
  std::uint64_t begin = rank_ * batch_size_;
  std::uint64_t count = batch_size_;
  if (last_batch_ == LastBatch::kShort && left < step_) {
    const std::uint64_t units = left / dealing_.unit;
    const std::uint64_t longer = units % world_;
    begin =
        (rank_ * (units / world_) + std::min(rank_, longer)) * dealing_.unit;
    count = (units / world_ + (rank_ < longer ? 1 : 0)) * dealing_.unit;
  }
  const std::uint64_t stride = dealing_.in_turn ? world_ : 1;
  if (dealing_.in_turn) begin = rank_;
  std::uint64_t padding = 0;
  // A rank whose part begins after the last sample has padding only.
  if (last_batch_ == LastBatch::kPad) {
    const std::uint64_t there =
        begin < left ? (left - begin + stride - 1) / stride : 0;
    padding = count - std::min(there, count);
  }
  return {{from.epoch, from.position + begin},
          static_cast<std::uint32_t>(count),
          static_cast<std::uint32_t>(padding),
          static_cast<std::uint32_t>(stride)};
}

StreamPosition StepPlan::Behind(const StreamPosition& from) const {
  SHARDINE_CHECK(StepsLeft(from) > 0);
  const std::uint64_t position = from.position + step_;
  if (last_batch_ == LastBatch::kRoll) return {from.epoch, position};
  return {from.epoch, std::min(position, samples_)};
}

StreamPosition StepPlan::Next(const StreamPosition& end) const {
  SHARDINE_CHECK(StepsLeft(end) == 0);
  // A step of kRoll may have ended beyond the epoch. Its samples are already
  // delivered, so the next epoch begins after them.
  return {end.epoch + 1, end.position - std::min(end.position, samples_)};
}

StreamPosition StepPlan::EndOf(const StreamPosition& from) const {
  SHARDINE_CHECK(StepsLeft(from) > 0);
  // Only the last step can end anywhere but K after where it begins.
  const std::uint64_t before_last = (StepsLeft(from) - 1) * step_;
  return Behind({from.epoch, from.position + before_last});
}

std::uint64_t StepPlan::StepsOfEpochAt(const StreamPosition& from) const {
  if (last_batch_ != LastBatch::kRoll) return StepsLeft(Begin(from.epoch));
  // The walk began at the position modulo K, as steps are K apart. In an epoch
  // that ends within the step before it, no step begins at all.
  const bool is_run_over = from.position >= samples_;
  return StepsLeft(
      {from.epoch, is_run_over ? from.position : from.position % step_});
}

StreamPosition StepPlan::Canonical(const StreamPosition& place) const {
  if (place.position < samples_ || samples_ == 0) return place;
  return {place.epoch + place.position / samples_, place.position % samples_};
}

StreamPosition StepPlan::At(const RankSlice& slice,
                            std::uint32_t offset) const {
  SHARDINE_CHECK(offset < slice.count);
  const std::uint64_t position =
      slice.first.position + std::uint64_t{offset} * slice.stride;
  if (last_batch_ == LastBatch::kPad) {
    return {slice.first.epoch, position % samples_};
  }
  return {slice.first.epoch + position / samples_, position % samples_};
}

}  // namespace shardine
