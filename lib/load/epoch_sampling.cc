#include "load/epoch_sampling.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/status_macros.h"
#include "base/wide_integer.h"
#include "load/cycled_sampling.h"
#include "load/episode_sampling.h"
#include "load/group_sampling.h"
#include "load/sample_groups.h"
#include "load/weighted_sampling.h"
#include "load/whole_weights.h"
#include "shardine/loader_words.h"

namespace shardine {
namespace {

using Made = Result<std::unique_ptr<const EpochSampling>>;

template <typename T, typename... Parts>
std::unique_ptr<const EpochSampling> New(Parts&&... parts) {
  return std::make_unique<const T>(std::forward<Parts>(parts)...);
}

// The most samples that StepPlan takes.
constexpr std::uint64_t kMostSamples = (std::uint64_t{1} << 62) - 1;

Result<std::uint64_t> SizeOf(std::uint64_t asked, const Wide& otherwise) {
  const Wide size = asked > 0 ? Wide{asked} : otherwise;
  if (size <= kMostSamples) return static_cast<std::uint64_t>(size);
  return BadSampling("an epoch has 2^62 samples or more");
}

// Makes the samplings, one overload for each kind.
class Maker {
 public:
  Maker(const LoaderOptions& options, const SampleSource& source,
        const SampleChoice& choice, const std::stop_token& stop)
      : options_(options), source_(source), choice_(choice), stop_(stop) {}

  Made operator()(const RepeatedSampling& asked) const;
  Made operator()(const ClassBalancedSampling& asked) const;
  Made operator()(const ClassWeightedSampling& asked) const;
  Made operator()(const WeightedSampling& asked) const;
  Made operator()(const MixedSampling& asked) const;
  Made operator()(const EpisodeSampling& asked) const;

 private:
  SampleOrder order() const { return options_.order.order; }
  Status CheckOrder(bool sequential, const std::string& name) const;
  Made OfGroups(GroupSampling::Plan plan,
                std::span<const std::uint64_t> weights) const;
  Status CheckComes(const GroupSampling::Plan& plan,
                    std::span<const std::uint64_t> weights) const;

  const LoaderOptions& options_;
  const SampleSource& source_;
  const SampleChoice& choice_;
  const std::stop_token& stop_;
};

Status Maker::CheckOrder(bool sequential, const std::string& name) const {
  if (order() == SampleOrder::kShuffle) return {};
  if (sequential && order() == SampleOrder::kSequential) return {};
  return BadSampling(name + ": has no order \"" + WordOf(order()) +
                     "\"; its orders are \"shuffle\"" +
                     (sequential ? " and \"sequential\"" : " alone"));
}

Made Maker::operator()(const RepeatedSampling& asked) const {
  if (asked.times == 0) return BadSampling("repeated: 0 times");
  const Wide all = Wide{choice_.size()} * asked.times;
  SHARDINE_RETURN_IF_ERROR(SizeOf(0, all).status());
  SHARDINE_ASSIGN_OR_RETURN(const std::uint64_t size,
                            SizeOf(asked.samples, all));
  auto made = New<CycledSampling>(choice_.size(), asked.times, size,
                                  options_.order, options_.seed);
  if (order() == SampleOrder::kRatio && !made->name().empty()) {
    return BadSampling(std::string(made->name()) +
                       ": in the order \"ratio\" each sample comes once");
  }
  return made;
}

Made Maker::operator()(const ClassBalancedSampling& asked) const {
  SHARDINE_RETURN_IF_ERROR(CheckOrder(!asked.replacement, "class-balanced"));
  SHARDINE_ASSIGN_OR_RETURN(const std::uint64_t size,
                            SizeOf(asked.samples, choice_.size()));
  SHARDINE_ASSIGN_OR_RETURN(SampleGroups groups,
                            SampleGroups::ByClass(source_, choice_, stop_));
  return New<GroupSampling>(
      GroupSampling::Plan{
          "class-balanced", std::move(groups), {}, size, asked.replacement},
      options_.order, options_.seed);
}

// A group that never comes would be left out without a word.
Status Maker::CheckComes(const GroupSampling::Plan& plan,
                         std::span<const std::uint64_t> weights) const {
  for (std::uint64_t group = 0; group < weights.size(); ++group) {
    if (weights[group] == 0) continue;
    const std::string name = plan.groups.NameOf(group, source_);
    if (plan.groups.size(group) == 0) {
      return BadSampling(name + " has a weight and no samples");
    }
    if (plan.counts[group] > 0) continue;
    return BadSampling(name + " would never come: its share of " +
                       std::to_string(plan.size) +
                       " samples an epoch is less than one; give it more "
                       "weight, the weight 0, or epochs more samples");
  }
  return {};
}

Made Maker::OfGroups(GroupSampling::Plan plan,
                     std::span<const std::uint64_t> weights) const {
  plan.counts = LargestRemainders(weights, plan.size);
  SHARDINE_RETURN_IF_ERROR(CheckComes(plan, weights));
  return New<GroupSampling>(std::move(plan), options_.order, options_.seed);
}

Made Maker::operator()(const ClassWeightedSampling& asked) const {
  SHARDINE_RETURN_IF_ERROR(CheckOrder(!asked.replacement, "weighted classes"));
  SHARDINE_ASSIGN_OR_RETURN(const std::uint64_t size,
                            SizeOf(asked.samples, choice_.size()));
  SHARDINE_ASSIGN_OR_RETURN(SampleGroups groups,
                            SampleGroups::ByClass(source_, choice_, stop_));
  const std::vector<std::int64_t>& labels = groups.labels();
  std::vector<double> weights(labels.size());
  std::vector<bool> given(labels.size());
  for (const auto& [label, weight] : asked.weights) {
    const auto at = std::ranges::lower_bound(labels, label);
    const auto group = static_cast<std::size_t>(at - labels.begin());
    if (at == labels.end() || *at != label) {
      // Weights of all classes may name more classes than come.
      if (weight == 0) continue;
      return BadSampling("no sample is of " + NameOfClass(label, source_) +
                         ", which has a weight");
    }
    if (given[group]) {
      return BadSampling("label " + std::to_string(label) + " has two weights");
    }
    given[group] = true;
    weights[group] = weight;
  }
  for (std::uint64_t group = 0; group < labels.size(); ++group) {
    if (given[group]) continue;
    return BadSampling(groups.NameOf(group, source_) + " has no weight");
  }
  SHARDINE_ASSIGN_OR_RETURN(const auto whole, WholeWeights(weights));
  return OfGroups(
      {"weighted by class", std::move(groups), {}, size, asked.replacement},
      whole);
}

Made Maker::operator()(const MixedSampling& asked) const {
  SHARDINE_RETURN_IF_ERROR(CheckOrder(true, "mixed"));
  SHARDINE_ASSIGN_OR_RETURN(const std::uint64_t size,
                            SizeOf(asked.samples, choice_.size()));
  if (asked.weights.size() != asked.sizes.size()) {
    return BadSampling(std::to_string(asked.weights.size()) + " weights of " +
                       std::to_string(asked.sizes.size()) + " parts");
  }
  Wide sum = 0;
  for (const std::uint64_t part : asked.sizes) sum += part;
  if (sum != choice_.size()) {
    return BadSampling("the parts have not as many samples as there are, " +
                       std::to_string(choice_.size()));
  }
  SHARDINE_ASSIGN_OR_RETURN(const auto whole, WholeWeights(asked.weights));
  return OfGroups({.name = "mixed",
                   .groups = SampleGroups::Parts(asked.sizes),
                   .counts = {},
                   .size = size,
                   .draws_apart = true},
                  whole);
}

Made Maker::operator()(const WeightedSampling& asked) const {
  SHARDINE_RETURN_IF_ERROR(CheckOrder(!asked.replacement, "weighted"));
  SHARDINE_ASSIGN_OR_RETURN(const std::uint64_t size,
                            SizeOf(asked.samples, choice_.size()));
  const std::size_t weights = asked.weights ? asked.weights->size() : 0;
  if (weights != choice_.size()) {
    return BadSampling(std::to_string(weights) + " weights of " +
                       std::to_string(choice_.size()) + " samples");
  }
  SHARDINE_ASSIGN_OR_RETURN(auto ends, WholeWeights(*asked.weights));
  std::partial_sum(ends.begin(), ends.end(), ends.begin());
  if (asked.replacement) {
    return New<IndependentSampling>(std::move(ends), size, options_.seed);
  }
  return New<SystematicSampling>(std::move(ends), size, options_.order,
                                 options_.seed);
}

Made Maker::operator()(const EpisodeSampling& asked) const {
  SHARDINE_RETURN_IF_ERROR(CheckOrder(false, "episodes"));
  if (asked.way == 0 || asked.shot == 0) {
    return BadSampling("episodes: way or shot is 0");
  }
  if (Wide{asked.way} * (Wide{asked.shot} + asked.query) > kMostSamples) {
    return BadSampling("episodes: one has 2^62 samples or more");
  }
  const std::uint64_t each = EpisodeSize(asked);
  if (options_.batch_size % each != 0) {
    return Status(Code::kInvalidArgument,
                  "batch_size: " + std::to_string(options_.batch_size) +
                      " is no multiple of " + std::to_string(each) +
                      ", which an episode has: way * (shot + query)");
  }
  EpisodeSampling episodes = asked;
  if (episodes.episodes == 0) {
    episodes.episodes = std::max<std::uint64_t>(choice_.size() / each, 1);
  }
  SHARDINE_RETURN_IF_ERROR(SizeOf(0, Wide{episodes.episodes} * each).status());
  SHARDINE_ASSIGN_OR_RETURN(SampleGroups groups,
                            SampleGroups::ByClass(source_, choice_, stop_));
  if (groups.count() < asked.way) {
    return BadSampling("episodes: " + std::to_string(asked.way) + " ways of " +
                       std::to_string(groups.count()) + " classes");
  }
  const std::uint64_t least = std::uint64_t{asked.shot} + asked.query;
  for (std::uint64_t group = 0; group < groups.count(); ++group) {
    if (groups.size(group) >= least) continue;
    return BadSampling(
        "episodes: " + groups.NameOf(group, source_) + " has " +
        std::to_string(groups.size(group)) + " samples, and an episode takes " +
        std::to_string(least) + " of a class; select other classes");
  }
  return New<EpisodeDraws>(std::move(groups), episodes, options_.seed);
}

}  // namespace

Result<std::unique_ptr<const EpochSampling>> EpochSampling::Make(
    const LoaderOptions& options, const SampleSource& source,
    const SampleChoice& choice, const std::stop_token& stop) {
  return std::visit(Maker(options, source, choice, stop), options.sampling);
}

EpochOrder::Stretch EpochSampling::StretchAt(const StreamPosition&) const {
  SHARDINE_CHECK(false);
  return {};
}

}  // namespace shardine
