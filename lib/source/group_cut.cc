#include "source/group_cut.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/number.h"
#include "base/permutation.h"
#include "base/status_macros.h"
#include "shardine/escape.h"
#include "source/group_rule.h"
#include "source/group_shares.h"
#include "source/strata.h"

namespace shardine {
namespace {

// The order in which groups are placed decides, and more than one is tried.
constexpr std::uint64_t kMostOrders = 32;
// GroupShares::Place(): some tenths of a second of all orders together.
constexpr std::int64_t kSteps = std::int64_t{1} << 22;

struct SampleGroups {
  std::vector<std::uint32_t> of;  // by sample; groups are numbered by name
  std::size_t count = 0;
};

Result<std::size_t> ColumnOf(const SourceSet& set, const std::string& name) {
  const auto found = std::ranges::find(set.columns, name, &TableColumn::name);
  if (found != set.columns.end()) {
    return static_cast<std::size_t>(found - set.columns.begin());
  }
  return Status(Code::kInvalidArgument,
                "groups are those of the column \"" + EscapeBytes(name) +
                    "\", which no list has beside files, labels and splits");
}

// Without a rule each sample is a group of its key.
Result<SampleGroups> GroupsOf(const std::optional<GroupRule>& rule,
                              const SourceSet& set) {
  const SourceList& samples = set.samples;
  std::optional<std::size_t> column;
  if (rule && !rule->column().empty()) {
    SHARDINE_ASSIGN_OR_RETURN(column, ColumnOf(set, rule->column()));
  }
  SampleGroups groups;
  std::unordered_map<std::string_view, std::uint32_t> numbers;
  std::uint64_t without = 0;
  std::size_t first = 0;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const std::string_view key = samples.key(i);
    const auto name = column ? TextOf(samples.fields(i), *column)
                      : rule ? rule->GroupOf(key)
                             : key;
    if (!name && without++ == 0) first = i;
    const auto number = static_cast<std::uint32_t>(numbers.size());
    groups.of.push_back(
        numbers.try_emplace(name.value_or(""), number).first->second);
  }
  if (without > 0) {
    return Status(Code::kInvalidArgument,
                  std::to_string(without) +
                      (without == 1 ? " key has" : " keys have") +
                      " no group, this one first")
        .At({.key = std::string(samples.key(first))});
  }
  std::vector<std::pair<std::string_view, std::uint32_t>> named(numbers.begin(),
                                                                numbers.end());
  std::ranges::sort(named);
  std::vector<std::uint32_t> by_name(named.size());
  for (std::uint32_t n = 0; n < named.size(); ++n) by_name[named[n].second] = n;
  for (std::uint32_t& number : groups.of) number = by_name[number];
  groups.count = named.size();
  return groups;
}

// Unites groups with samples that are alike, and numbers them again in their
// order.
void Unite(std::span<const Likeness> copies, SampleGroups& groups) {
  std::vector<std::uint32_t> lowest(groups.count);
  std::iota(lowest.begin(), lowest.end(), 0u);
  const auto find = [&](std::uint32_t group) {
    while (lowest[group] != group) {
      group = lowest[group] = lowest[lowest[group]];
    }
    return group;
  };
  for (std::size_t i = 1; i < copies.size(); ++i) {
    if (copies[i].of != copies[i - 1].of) continue;
    const std::uint32_t a = find(groups.of[copies[i - 1].sample]);
    const std::uint32_t b = find(groups.of[copies[i].sample]);
    lowest[std::max(a, b)] = std::min(a, b);
  }
  std::vector<std::uint32_t> numbers(groups.count);
  std::uint32_t count = 0;
  for (std::uint32_t group = 0; group < groups.count; ++group) {
    const std::uint32_t root = find(group);
    numbers[group] = root == group ? count++ : numbers[root];
  }
  for (std::uint32_t& group : groups.of) group = numbers[group];
  groups.count = count;
}

// Without classes only the cells of stratum 0.
GroupCells CellsOf(const SampleGroups& groups, const Strata* strata) {
  const auto class_of = [strata](std::uint32_t i) {
    return strata == nullptr ? 0 : strata->of[i] + 1;
  };
  std::vector<std::uint32_t> order(groups.of.size());
  std::iota(order.begin(), order.end(), 0u);
  std::ranges::sort(order, {}, [&](std::uint32_t i) {
    return std::pair(groups.of[i], class_of(i));
  });
  GroupCells to;
  for (const std::uint32_t i : order) {
    if (groups.of[i] == to.begin.size()) {
      to.begin.push_back(to.cells.size());
      to.cells.push_back({});
    }
    ++to.cells[to.begin.back()].count;
    if (strata == nullptr) continue;
    if (to.cells.back().stratum != class_of(i)) {
      to.cells.push_back({.stratum = class_of(i)});
    }
    ++to.cells.back().count;
  }
  to.begin.push_back(to.cells.size());
  return to;
}

// In how many groups each class is; of the classes alone.
std::vector<std::uint64_t> GroupCounts(const GroupCells& groups,
                                       std::size_t classes) {
  std::vector<std::uint64_t> counts(classes);
  for (const GroupCell& cell : groups.cells) {
    if (cell.stratum > 0) ++counts[cell.stratum - 1];
  }
  return counts;
}

// The groups that hold a class of fewer groups than there are splits.
void FixSmall(const GroupCells& groups,
              const std::vector<std::uint64_t>& group_counts,
              const SplitCut& cut, GroupShares& shares) {
  for (std::uint32_t group = 0; group < groups.size(); ++group) {
    const bool is_small =
        std::ranges::any_of(groups.of(group), [&](const GroupCell& cell) {
          return cell.stratum > 0 &&
                 group_counts[cell.stratum - 1] < cut.shares.size();
        });
    if (is_small) shares.Fix(group, TrainOf(cut.shares));
  }
}

// The n-th order: from the largest on, or any.
std::vector<std::uint32_t> OrderOf(const GroupCells& groups, std::uint64_t seed,
                                   std::uint64_t n) {
  const Permutation any(groups.size(), seed, "groups", n, kPlanShuffle);
  std::vector<std::uint32_t> order;
  for (std::uint64_t place = 0; place < groups.size(); ++place) {
    order.push_back(static_cast<std::uint32_t>(any(place)));
  }
  if (n % 2 > 0) return order;
  std::ranges::stable_sort(order, std::greater(), [&](std::uint32_t group) {
    return groups.of(group).front().count;
  });
  return order;
}

std::unique_ptr<GroupShares> PlaceGroups(
    const GroupCells& groups, const std::vector<std::uint64_t>& group_counts,
    const SplitCut& cut) {
  std::unique_ptr<GroupShares> best;
  std::int64_t steps = kSteps;
  for (std::uint64_t n = 0; n < kMostOrders && (n == 0 || steps > 0); ++n) {
    auto shares = std::make_unique<GroupShares>(groups, PartsOf(cut.shares));
    if (cut.rule.small_classes == SmallClasses::kTrain) {
      FixSmall(groups, group_counts, cut, *shares);
    }
    shares->Place(OrderOf(groups, cut.seed, n), steps);
    if (best == nullptr || shares->IsBetterThan(*best))
      best = std::move(shares);
  }
  return best;
}

Status RefuseLacking(const GroupShares& shares, const Strata& strata,
                     const std::vector<std::uint64_t>& group_counts,
                     const SourceSet& set) {
  SmallClassList small;
  for (std::uint32_t c = 0; c < strata.labels.size(); ++c) {
    for (std::uint32_t split = 0; split < set.splits.size(); ++split) {
      if (shares.count(c + 1, split) > 0) continue;
      const std::uint64_t groups = group_counts[c];
      small.Add(ClassName(set.classes, strata.labels[c]), set.splits[split],
                std::to_string(groups) +
                    (groups == 1 ? " group has it" : " groups have it"));
      break;
    }
  }
  return small.Refuse();
}

double ShareOf(const GroupShares& shares, std::uint32_t stratum,
               std::uint32_t split) {
  return static_cast<double>(shares.count(stratum, split)) /
         static_cast<double>(shares.size(stratum));
}

// To four decimals, without zeros at the end: "0.8".
std::string RoundedText(double share) {
  const auto parts = static_cast<std::uint64_t>(std::llround(share * 10'000));
  std::string decimals = std::to_string(10'000 + parts % 10'000).substr(1);
  while (decimals.ends_with('0')) decimals.pop_back();
  return std::to_string(parts / 10'000) +
         (decimals.empty() ? "" : "." + decimals);
}

// "groups: 48, each in one split; train has 0.797 of the samples (asked for:
// 0.8), val 0.203 (0.2); shares of a class are off by at most 0.02: cat in
// val".
std::string NoteOf(const GroupShares& shares, const SplitCut& cut,
                   const Strata* strata, const SourceSet& set) {
  std::string note = "groups: " + std::to_string(shares.splits().size()) +
                     ", each in one split; ";
  double furthest = 0;
  std::pair<std::uint32_t, std::uint32_t> place;  // class and split
  for (std::uint32_t split = 0; split < cut.shares.size(); ++split) {
    const bool is_first = split == 0;
    note += (is_first ? "" : ", ") + cut.shares[split].name +
            (is_first ? " has " : " ") +
            RoundedText(ShareOf(shares, 0, split)) +
            (is_first ? " of the samples (asked for: " : " (") +
            NumberText(cut.shares[split].share) + ")";
    for (std::uint32_t c = 1; c < shares.strata(); ++c) {
      const double off =
          std::abs(ShareOf(shares, c, split) - cut.shares[split].share);
      if (off <= furthest) continue;
      furthest = off;
      place = {c, split};
    }
  }
  if (strata == nullptr) return note;
  note += "; shares of a class are off by at most " + RoundedText(furthest);
  if (furthest == 0) return note;
  const auto& [stratum, split] = place;
  return note + ": " +
         EscapeBytes(ClassName(set.classes, strata->labels[stratum - 1])) +
         " in " + cut.shares[split].name;
}

}  // namespace

Status ApplyGroups(const SplitCut& cut, std::span<const Likeness> copies,
                   SourceSet& set) {
  std::optional<GroupRule> rule;
  if (!cut.rule.group_by.empty()) {
    SHARDINE_ASSIGN_OR_RETURN(rule, GroupRule::Parse(cut.rule.group_by));
  }
  SHARDINE_RETURN_IF_ERROR(MakeSplits(cut.shares, set));
  SHARDINE_ASSIGN_OR_RETURN(SampleGroups groups, GroupsOf(rule, set));
  Unite(copies, groups);
  std::optional<Strata> strata;
  if (cut.rule.stratify) {
    SHARDINE_ASSIGN_OR_RETURN(strata, StrataOf(set.samples));
  }
  const Strata* const classes = strata ? &*strata : nullptr;
  const GroupCells cells = CellsOf(groups, classes);
  const auto group_counts =
      GroupCounts(cells, strata ? strata->labels.size() : 0);
  const auto shares = PlaceGroups(cells, group_counts, cut);
  for (std::size_t i = 0; i < set.samples.size(); ++i) {
    set.samples.SetSplit(i, shares->splits()[groups.of[i]]);
  }
  if (strata && cut.rule.small_classes == SmallClasses::kRefuse) {
    SHARDINE_RETURN_IF_ERROR(
        RefuseLacking(*shares, *strata, group_counts, set));
  }
  SHARDINE_RETURN_IF_ERROR(CheckFilled(set));
  set.notes.push_back(NoteOf(*shares, cut, classes, set));
  if (cut.rule.unites_copies()) {
    std::vector<bool> has_copy(set.samples.size());
    for (const Likeness& copy : copies) has_copy[copy.sample] = true;
    set.notes.back() +=
        "; " +
        std::to_string(
            cut.rule.near_groups
                ? static_cast<std::size_t>(std::ranges::count(has_copy, true))
                : copies.size()) +
        " samples have the image of another" +
        (cut.rule.near_groups ? ", or one that looks like it" : "");
  }
  return Status();
}

}  // namespace shardine
