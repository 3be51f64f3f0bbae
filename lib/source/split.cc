#include "source/split.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "base/permutation.h"
#include "base/status_macros.h"
#include "shardine/escape.h"
#include "source/group_cut.h"
#include "source/group_rule.h"
#include "source/strata.h"
#include "source/strata_cut.h"

namespace shardine {
namespace {

// Samples held out of one class.
struct HoldOut {
  std::uint64_t samples = 0;
  std::vector<std::uint64_t> chosen;  // places among the class's samples
  std::uint64_t next_place = 0;
  std::size_t next_chosen = 0;

  // Called for each sample of the class in order: is this one held out?
  bool Take() {
    const bool take =
        next_chosen < chosen.size() && chosen[next_chosen] == next_place;
    ++next_place;
    next_chosen += take ? 1 : 0;
    return take;
  }
};

// Each class has an order of its own, from its label: its held-out samples do
// not change with the other classes. The places are sorted, so that one walk
// over the list finds all of them.
Status ChooseHeldOut(std::uint64_t count, std::uint64_t seed,
                     const ClassMap& classes,
                     std::map<std::int64_t, HoldOut>& held) {
  for (auto& [label, hold] : held) {
    if (hold.samples <= count) {
      return Status(Code::kInvalidArgument,
                    "class " + EscapeBytes(ClassName(classes, label)) +
                        " has " + std::to_string(hold.samples) +
                        " samples; holding out " + std::to_string(count) +
                        " leaves none");
    }
    const Permutation order(hold.samples, seed, "hold-out",
                            static_cast<std::uint64_t>(label), kPlanShuffle);
    for (std::uint64_t i = 0; i < count; ++i) hold.chosen.push_back(order(i));
    std::sort(hold.chosen.begin(), hold.chosen.end());
  }
  return Status();
}

std::uint64_t FloorShare(std::uint64_t n, double share) {
  const auto parts =
      static_cast<std::uint64_t>(std::llround(share * kWholeShare));
  // Taken apart, since n * parts may wrap.
  return n / kWholeShare * parts + n % kWholeShare * parts / kWholeShare;
}

}  // namespace

Status ApplyMinPerClass(std::uint64_t least, SourceSet& set) {
  SourceList& samples = set.samples;
  // The counts by label, of each split that has some.
  std::map<std::int64_t, std::map<std::uint32_t, std::uint64_t>> counts;
  // A class that has a name and no sample counts as well, with 0.
  for (const ClassInfo& info : set.classes) counts[info.label];
  for (std::size_t i = 0; i < samples.size(); ++i) {
    if (const auto label = samples.class_label(i)) {
      ++counts[*label][samples.split(i)];
    } else if (samples.label_count(i) > 0) {
      return NeedsOneLabel(samples, i, "a minimum per class");
    }
  }
  std::map<std::int64_t, std::int64_t> numbers;
  for (const auto& [label, count] : counts) {
    const bool has_enough =
        !count.empty() &&
        std::ranges::all_of(count, [least](const auto& of_split) {
          return of_split.second >= least;
        });
    if (has_enough) {
      numbers.emplace(label, static_cast<std::int64_t>(numbers.size()));
    } else {
      set.ignored.push_back(
          {ClassName(set.classes, label), "below-min-per-class"});
    }
  }
  std::vector<bool> keep(samples.size(), true);
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const auto label = samples.class_label(i);
    if (!label) continue;
    const auto number = numbers.find(*label);
    keep[i] = number != numbers.end();
    if (keep[i]) samples.SetLabel(i, number->second);
  }
  samples.Keep(keep);
  for (ClassInfo& info : std::exchange(set.classes, {})) {
    const auto number = numbers.find(info.label);
    if (number == numbers.end()) continue;
    info.label = number->second;
    set.classes.push_back(std::move(info));
  }
  return Status();
}

Status ApplyHoldOut(std::uint64_t count, std::uint64_t seed, SourceSet& set) {
  const auto train = std::find(set.splits.begin(), set.splits.end(), "train");
  const auto val = std::find(set.splits.begin(), set.splits.end(), "val");
  if (train == set.splits.end() || val != set.splits.end()) {
    return Status(
        Code::kInvalidArgument,
        "samples are held out of split train as split val: there must "
        "be a train and no val");
  }
  const auto from = static_cast<std::uint32_t>(train - set.splits.begin());
  SourceList& samples = set.samples;
  std::map<std::int64_t, HoldOut> held;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    if (samples.split(i) != from) continue;
    const auto label = samples.class_label(i);
    if (!label) return NeedsOneLabel(samples, i, "holding out");
    ++held[*label].samples;
  }
  SHARDINE_RETURN_IF_ERROR(ChooseHeldOut(count, seed, set.classes, held));
  const auto to = static_cast<std::uint32_t>(set.splits.size());
  set.splits.push_back("val");
  for (std::size_t i = 0; i < samples.size(); ++i) {
    if (samples.split(i) != from) continue;
    if (held[*samples.class_label(i)].Take()) samples.SetSplit(i, to);
  }
  return Status();
}

Status ApplySplitShares(const std::vector<SourceOptions::SplitShare>& shares,
                        std::uint64_t seed, SourceSet& set) {
  SHARDINE_RETURN_IF_ERROR(MakeSplits(shares, set));
  const std::uint64_t n = set.samples.size();
  std::vector<std::uint64_t> counts;
  std::uint64_t left = n;
  for (const SourceOptions::SplitShare& share : shares) {
    // Each share is rounded to nine decimals, so that together they may be more
    // than all samples.
    counts.push_back(std::min(left, FloorShare(n, share.share)));
    left -= counts.back();
  }
  counts.front() += left;
  const Permutation order(n, seed, "split", 0, kPlanShuffle);
  std::uint64_t place = 0;
  for (std::uint32_t s = 0; s < shares.size(); ++s) {
    for (const std::uint64_t end = place + counts[s]; place < end; ++place) {
      set.samples.SetSplit(order(place), s);
    }
  }
  return CheckFilled(set);
}

Status CheckCut(const SplitCut& cut) {
  const SplitRule& rule = cut.rule;
  if (cut.shares.size() >= SourceList::kMaxSplits ||
      (cut.has_groups() && cut.shares.size() > kMaxGroupedSplits)) {
    return Status(Code::kInvalidArgument, "too many splits");
  }
  if (cut.shares.empty() && (rule.stratify || cut.has_groups())) {
    return Status(Code::kInvalidArgument,
                  "classes and groups are kept by shares of splits, and there "
                  "are none");
  }
  if (!rule.group_by.empty()) {
    SHARDINE_RETURN_IF_ERROR(GroupRule::Parse(rule.group_by).status());
  }
  if (cut.shares.empty() || cut.hold_out == 0) return Status();
  return Status(Code::kInvalidArgument,
                "shares of splits and samples to hold out exclude each other");
}

Status ApplyCut(const SplitCut& cut, std::span<const Likeness> copies,
                SourceSet& set) {
  if (cut.hold_out > 0) return ApplyHoldOut(cut.hold_out, cut.seed, set);
  if (cut.shares.empty()) return Status();
  if (cut.has_groups()) return ApplyGroups(cut, copies, set);
  if (cut.rule.stratify) return ApplyStrata(cut, set);
  return ApplySplitShares(cut.shares, cut.seed, set);
}

}  // namespace shardine
