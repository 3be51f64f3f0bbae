#include "load/epoch_order.h"

#include <algorithm>

#include "base/bytes.h"
#include "base/check.h"

namespace shardine {
namespace {

// They help to decide an epoch's order, so they never change, even where an
// option's word does.
constexpr const char* kOfBlocks = "blocks";
constexpr const char* kOfSamples = "epoch";

std::string WindowPurpose(std::uint64_t epoch) {
  std::string purpose = "window";
  AppendLe(epoch, purpose);
  return purpose;
}

}  // namespace

// A block or window larger than the dataset is cut to it, so that no product
// overflows; the order is the same.
EpochOrder::EpochOrder(std::uint64_t samples, const OrderOptions& options,
                       std::uint64_t seed, std::uint64_t epoch)
    : samples_(samples),
      order_(options.order),
      seed_(seed),
      block_(std::clamp<std::uint64_t>(options.block, 1,
                                       std::max<std::uint64_t>(samples, 1))),
      blocks_((samples + block_ - 1) / block_),
      missing_(blocks_ * block_ - samples),
      window_(std::min(options.window, blocks_) * block_),
      short_slot_(blocks_),
      window_purpose_(WindowPurpose(epoch)),
      permutation_(order_ == SampleOrder::kBlocks ? samples / block_ : samples,
                   seed,
                   order_ == SampleOrder::kBlocks ? kOfBlocks : kOfSamples,
                   epoch, kEpochShuffle) {
  SHARDINE_CHECK(samples < std::uint64_t{1} << 62);
  SHARDINE_CHECK(order_ != SampleOrder::kRatio);
  SHARDINE_CHECK(order_ != SampleOrder::kBlocks ||
                 (options.block > 0 && options.window > 0));
  if (order_ != SampleOrder::kBlocks) return;
  // A node's part of a large dataset has few blocks and many samples.
  permutation_.Tabulate();
  if (missing_ > 0) {
    short_slot_ =
        Permutation(blocks_, seed, "short block", epoch, kEpochShuffle)(0);
  }
}

std::uint64_t EpochOrder::operator()(std::uint64_t position) const {
  SHARDINE_CHECK(position < samples_);
  if (order_ == SampleOrder::kSequential) return position;
  if (order_ == SampleOrder::kShuffle) return permutation_(position);
  const Run run = RunOf(position);
  const Permutation mixed(run.samples, seed_, window_purpose_, run.number,
                          kEpochShuffle);
  return Unmixed(run.first + mixed(position - run.first));
}

EpochOrder::Run EpochOrder::RunOf(std::uint64_t position) const {
  // As if the short block were full: runs after it begin that much later.
  const std::uint64_t short_run = short_slot_ * block_ / window_;
  Run run{position / window_, 0, 0};
  if (position >= (short_run + 1) * window_ - missing_) {
    run.number = (position + missing_) / window_;
  }
  const auto begin = [&](std::uint64_t number) {
    const std::uint64_t first = number * window_;
    return std::min(number > short_run ? first - missing_ : first, samples_);
  };
  run.first = begin(run.number);
  run.samples = begin(run.number + 1) - run.first;
  return run;
}

// The block that comes at that place among all blocks of the epoch.
EpochOrder::Block EpochOrder::BlockAt(std::uint64_t slot) const {
  if (slot == short_slot_) return {(blocks_ - 1) * block_, block_ - missing_};
  const std::uint64_t number = slot < short_slot_ ? slot : slot - 1;
  return {permutation_(number) * block_, block_};
}

std::uint64_t EpochOrder::Unmixed(std::uint64_t position) const {
  const bool behind_short = position + missing_ >= (short_slot_ + 1) * block_;
  const std::uint64_t full = behind_short ? position + missing_ : position;
  return BlockAt(full / block_).first + full % block_;
}

EpochOrder::Stretch EpochOrder::StretchAt(std::uint64_t position) const {
  SHARDINE_CHECK(position < samples_);
  if (order_ == SampleOrder::kSequential) {
    const std::uint64_t count = std::min(block_, samples_ - position);
    return {position + count, {{position, count}}};
  }
  Stretch stretch;
  if (order_ != SampleOrder::kBlocks) return stretch;
  const Run run = RunOf(position);
  stretch.end = run.first + run.samples;
  const std::uint64_t window = window_ / block_;
  const std::uint64_t first = run.number * window;
  for (std::uint64_t slot = first; slot < std::min(first + window, blocks_);
       ++slot) {
    stretch.blocks.push_back(BlockAt(slot));
  }
  return stretch;
}

}  // namespace shardine
