#include "source/strata_cut.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/permutation.h"
#include "base/status_macros.h"
#include "source/strata.h"

namespace shardine {
namespace {

using Counts = std::vector<std::uint64_t>;  // by split

// Decides how many samples of each class are in which split.
class ClassShares {
 public:
  explicit ClassShares(std::vector<std::uint64_t> parts)
      : parts_(std::move(parts)), owed_(parts_.size()) {}

  // The counts of a class of `n` samples; nullopt: it is too small.
  std::optional<Counts> CountsOf(std::uint64_t n) const {
    Counts counts;
    std::vector<bool> may_grow;
    for (std::size_t s = 0; s < parts_.size(); ++s) {
      const std::uint64_t share = n * parts_[s];
      const std::uint64_t floor = share / kWholeShare;
      counts.push_back(std::max<std::uint64_t>(1, floor));
      may_grow.push_back(floor > 0 && share % kWholeShare > 0);
    }
    const std::uint64_t least =
        std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
    if (least > n) return std::nullopt;
    for (std::uint64_t left = n - least; left > 0; --left) {
      std::optional<std::size_t> most;
      for (std::size_t s = 0; s < parts_.size(); ++s) {
        if (!may_grow[s]) continue;
        if (!most || Owed(s, n, counts) > Owed(*most, n, counts)) most = s;
      }
      ++counts[*most];
      may_grow[*most] = false;
    }
    return counts;
  }

  // Adds a decided class.
  void Add(std::uint64_t n, const Counts& counts) {
    for (std::size_t s = 0; s < parts_.size(); ++s) {
      owed_[s] = Owed(s, n, counts);
    }
  }

 private:
  // The debt of the classes so far and this one to a split, in parts of a
  // sample.
  std::int64_t Owed(std::size_t split, std::uint64_t n,
                    const Counts& counts) const {
    return owed_[split] + static_cast<std::int64_t>(n * parts_[split]) -
           static_cast<std::int64_t>(counts[split] * kWholeShare);
  }

  const std::vector<std::uint64_t> parts_;
  std::vector<std::int64_t> owed_;
};

// The samples class by class, each in list order.
std::vector<std::uint32_t> MembersOf(const Strata& strata) {
  std::vector<std::uint64_t> next(strata.sizes.size());
  std::exclusive_scan(strata.sizes.begin(), strata.sizes.end(), next.begin(),
                      std::uint64_t{0});
  std::vector<std::uint32_t> members(strata.of.size());
  for (std::uint32_t i = 0; i < strata.of.size(); ++i) {
    members[next[strata.of[i]]++] = i;
  }
  return members;
}

void Deal(std::span<const std::uint32_t> members, const Counts& counts,
          const Permutation& order, SourceList& samples) {
  std::uint64_t place = 0;
  for (std::uint32_t s = 0; s < counts.size(); ++s) {
    for (const std::uint64_t end = place + counts[s]; place < end; ++place) {
      samples.SetSplit(members[order(place)], s);
    }
  }
}

}  // namespace

Status ApplyStrata(const SplitCut& cut, SourceSet& set) {
  SHARDINE_RETURN_IF_ERROR(MakeSplits(cut.shares, set));
  SHARDINE_ASSIGN_OR_RETURN(const Strata strata, StrataOf(set.samples));
  ClassShares shares(PartsOf(cut.shares));
  const std::vector<std::uint32_t> members = MembersOf(strata);
  SmallClassList small;
  std::uint64_t begin = 0;
  for (std::size_t c = 0; c < strata.labels.size(); ++c) {
    const std::uint64_t n = strata.sizes[c];
    auto counts = shares.CountsOf(n);
    if (!counts) {
      counts.emplace(cut.shares.size());
      (*counts)[TrainOf(cut.shares)] = n;
      if (cut.rule.small_classes == SmallClasses::kRefuse) {
        const auto least = std::ranges::min_element(
            cut.shares, {}, &SourceOptions::SplitShare::share);
        small.Add(ClassName(set.classes, strata.labels[c]), least->name,
                  std::to_string(n) + (n == 1 ? " sample" : " samples"));
      }
    }
    shares.Add(n, *counts);
    Deal(
        std::span(members).subspan(begin, n), *counts,
        Permutation(n, cut.seed, "stratify",
                    static_cast<std::uint64_t>(strata.labels[c]), kPlanShuffle),
        set.samples);
    begin += n;
  }
  SHARDINE_RETURN_IF_ERROR(small.Refuse());
  return CheckFilled(set);
}

}  // namespace shardine
