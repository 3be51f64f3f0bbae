#include "load/state_check.h"

#include <cstdint>
#include <numeric>
#include <string>
#include <string_view>

#include "base/shown_name.h"
#include "base/status_macros.h"
#include "shardine/loader_words.h"

namespace shardine {
namespace {

// Whose state it may be is all that a digest tells.
Status OfOtherSamples(const LoaderState& state, const LoadPlan& plan) {
  const std::string_view sampling = plan.sampling().name();
  std::string what = "of another dataset";
  if (!plan.choice().is_all()) what += ", or of another choice of its samples";
  if (!sampling.empty()) {
    const bool had_none = state.order_digest == plan.choice().order_digest();
    what = had_none ? "of a loader without sampling, and this one's is "
                    : what + ", or of another sampling than ";
    what += sampling;
  }
  return Status(Code::kInvalidArgument,
                "the state is " + what + ": its order_digest is " +
                    state.order_digest.ToHex() + ", this one's " +
                    plan.order_digest().ToHex());
}

// All that tells one order from another, but for the nodes, which a state has.
// The words of an order that draws say the version of its draws.
std::string OrderIn(const LoadPlan& plan) {
  const OrderOptions& options = plan.options().order;
  std::string words = WordOf(options.order);
  if (options.order == SampleOrder::kShuffle ||
      options.order == SampleOrder::kBlocks) {
    words += '/' + std::to_string(static_cast<int>(kEpochShuffle));
  }
  if (options.order == SampleOrder::kBlocks) {
    words += ' ' + std::to_string(options.block);
    words += ' ' + std::to_string(options.window);
  }
  // By ratio, the decoded sizes of images decide their order, too.
  if (const auto ratios = plan.ratio_digest()) words += ' ' + ratios->ToHex();
  if (plan.buckets() != nullptr) {
    words += " buckets " + plan.buckets()->digest().ToHex();
  }
  const std::string_view draws = plan.sampling().draws();
  if (!draws.empty()) words.append(" ").append(draws);
  return words;
}

// The failure for a state amid an epoch that this loader does not have.
Status OfOtherOrder(const LoaderState& state, const std::string& order) {
  // Version 1 wrote no version.
  const bool is_old = state.order.find('/') == std::string::npos &&
                      order.find('/') != std::string::npos;
  const std::string next = std::to_string(state.epoch + 1);
  return Status(
      Code::kInvalidArgument,
      "the state is amid an epoch of order " + ShowName(state.order) +
          ", the loader's is \"" + order +
          "\": the rest would not be what is left; " +
          (is_old ? "shuffles of version 2 are other ones: set_epoch(" + next +
                        ") goes on with the next epoch"
                  : "an epoch that has not begun may be of any order"));
}

Status Damaged(const std::string& why) {
  return Status(Code::kInvalidArgument, "the state is damaged: " + why);
}

std::string PositionOf(const LoaderState& state) {
  return "position " + std::to_string(state.position);
}

// Canonical places have positions within their epoch.
Status CheckStatePlace(const LoadPlan& plan, const LoaderState& state) {
  const std::uint64_t samples = plan.sampling().size();
  if (state.position > samples) {
    return Damaged(PositionOf(state) + " is beyond its epoch of " +
                   std::to_string(samples) + " samples");
  }
  const std::uint64_t unit = plan.sampling().dealing().unit;
  if (state.position % unit == 0) return {};
  return Damaged(PositionOf(state) + " is amid an episode of " +
                 std::to_string(unit) + " samples");
}

Status CheckStateNodes(const LoadPlan& plan, const LoaderState& state) {
  const bool is_shared = state.nodes != 1;
  const bool can_be_shared =
      plan.sampling().name().empty() && plan.buckets() == nullptr;
  if (state.nodes > 0 && is_shared == (state.node_samples != 0) &&
      state.node_samples < (std::uint64_t{1} << 62) / state.nodes &&
      (!is_shared || can_be_shared)) {
    return {};
  }
  return Damaged(std::to_string(state.nodes) + " nodes take " +
                 std::to_string(state.node_samples) + " samples each");
}

Status CheckStateBuckets(const LoadPlan& plan, const LoaderState& state) {
  const BucketPlan* const buckets = plan.buckets();
  if (buckets == nullptr) {
    if (state.bucket_samples.empty()) return {};
    return Damaged("it has buckets, and its order has none");
  }
  const BucketPlan::Counts counts = CountsIn(state, *buckets);
  const Status status = buckets->CheckCounts(counts);
  if (!status.ok()) return Damaged(status.message());
  if (std::accumulate(counts.begin(), counts.end(), std::uint64_t{0}) ==
      state.position) {
    return {};
  }
  return Damaged(PositionOf(state) + " is not the sum of its buckets");
}

}  // namespace

LoaderState StateAt(const LoadPlan& plan, const StreamPosition& place) {
  const auto [epoch, position] = plan.steps().Canonical(place);
  LoaderState state{.order_digest = plan.order_digest(),
                    .seed = plan.options().seed,
                    .epoch = epoch,
                    .position = position};
  // An epoch that has not begun may be shared among others, and in any order.
  if (position == 0) return state;
  const NodeSharing sharing = plan.SharingOf(epoch);
  state.nodes = sharing.nodes;
  state.node_samples = sharing.taken;
  state.order = OrderIn(plan);
  if (plan.buckets() != nullptr) {
    state.bucket_samples = plan.buckets()->CountsAt({epoch, position});
  }
  return state;
}

Status CheckState(const LoadPlan& plan, const LoaderState& state) {
  if (state.order_digest != plan.order_digest()) {
    return OfOtherSamples(state, plan);
  }
  if (state.seed != plan.options().seed) {
    return Status(Code::kInvalidArgument,
                  "the state is of seed " + std::to_string(state.seed) +
                      ", the loader has " +
                      std::to_string(plan.options().seed));
  }
  // In buckets a step of kRoll may have ended beyond the epoch.
  if (plan.buckets() == nullptr) {
    SHARDINE_RETURN_IF_ERROR(CheckStatePlace(plan, state));
  }
  SHARDINE_RETURN_IF_ERROR(CheckStateNodes(plan, state));
  if (const std::string order = OrderIn(plan);
      state.position != 0 && !state.order.empty() && state.order != order) {
    return OfOtherOrder(state, order);
  }
  return CheckStateBuckets(plan, state);
}

BucketPlan::Counts CountsIn(const LoaderState& state,
                            const BucketPlan& buckets) {
  if (state.position == 0) {
    return BucketPlan::Counts(buckets.samples().size());
  }
  return state.bucket_samples;
}

}  // namespace shardine
