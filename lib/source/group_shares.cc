#include "source/group_shares.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "source/strata.h"

namespace shardine {
namespace {

// Of no more use: what is left is mostly a hundredth of a sample.
constexpr int kMaxPasses = 16;

// (owed - more)^2 - owed^2 of counts in parts of a sample, in shares of the
// stratum: at most 3 * 2^124 before it is divided.
SignedWide SquareGrowth(const SignedWide& owed, const SignedWide& more,
                        std::int64_t size) {
  return more * (more - 2 * owed) / (SignedWide{size} * size);
}

SignedWide InParts(std::int64_t count) {
  return SignedWide{count} * static_cast<std::int64_t>(kWholeShare);
}

}  // namespace

GroupShares::GroupShares(GroupCells groups, std::vector<std::uint64_t> parts)
    : groups_(std::move(groups)),
      parts_(std::move(parts)),
      split_of_(groups_.size(), kNowhere),
      fixed_(groups_.size()) {
  for (const GroupCell& cell : groups_.cells) {
    if (cell.stratum >= sizes_.size()) sizes_.resize(cell.stratum + 1);
    sizes_[cell.stratum] += cell.count;
  }
  counts_.resize(parts_.size() * sizes_.size());
}

void GroupShares::Fix(std::uint32_t group, std::uint32_t split) {
  fixed_[group] = true;
  Move(group, split);
}

void GroupShares::Place(std::span<const std::uint32_t> order) {
  std::vector<std::uint32_t> ordered(order.begin(), order.end());
  std::ranges::stable_sort(ordered, [&](std::uint32_t a, std::uint32_t b) {
    return groups_.of(a).front().count > groups_.of(b).front().count;
  });
  for (const std::uint32_t group : ordered) {
    if (!fixed_[group]) PlaceFirst(group);
  }
  std::ranges::reverse(ordered);
  bool improved = true;
  for (int pass = 0; improved && pass < kMaxPasses; ++pass) {
    improved = false;
    for (const std::uint32_t group : ordered) {
      if (!fixed_[group] && Improve(group)) improved = true;
    }
  }
}

SignedWide GroupShares::Owed(std::uint32_t stratum, std::uint32_t split) const {
  return SignedWide{sizes_[stratum]} *
             static_cast<std::int64_t>(parts_[split]) -
         InParts(count(stratum, split));
}

GroupShares::Change GroupShares::Adding(std::uint32_t group,
                                        std::uint32_t split) const {
  Change change;
  for (const GroupCell& cell : groups_.of(group)) {
    change.lacking -= count(cell.stratum, split) == 0 ? 1 : 0;
    change.distance += SquareGrowth(Owed(cell.stratum, split),
                                    InParts(cell.count), sizes_[cell.stratum]);
  }
  return change;
}

GroupShares::Change GroupShares::Taking(std::uint32_t group) const {
  const std::uint32_t split = split_of_[group];
  Change change;
  for (const GroupCell& cell : groups_.of(group)) {
    change.lacking += count(cell.stratum, split) == cell.count ? 1 : 0;
    change.distance += SquareGrowth(Owed(cell.stratum, split),
                                    -InParts(cell.count), sizes_[cell.stratum]);
  }
  return change;
}

bool GroupShares::IsNoMoreThanShare(std::uint32_t group,
                                    std::uint32_t split) const {
  return InParts(groups_.of(group).front().count) <=
         SignedWide{sizes_[0]} * static_cast<std::int64_t>(parts_[split]);
}

void GroupShares::Move(std::uint32_t group, std::uint32_t to) {
  const std::uint32_t from = std::exchange(split_of_[group], to);
  for (const GroupCell& cell : groups_.of(group)) {
    if (from != kNowhere) count_of(cell.stratum, from) -= cell.count;
    count_of(cell.stratum, to) += cell.count;
  }
}

// Which classes a split lacks decides only between splits that are as good: at
// first all are lacking.
void GroupShares::PlaceFirst(std::uint32_t group) {
  std::uint32_t best = 0;
  Change least = Adding(group, 0);
  for (std::uint32_t split = 1; split < parts_.size(); ++split) {
    const Change change = Adding(group, split);
    const bool is_better = change.distance != least.distance
                               ? change.distance < least.distance
                               : change.lacking < least.lacking;
    if (!is_better) continue;
    best = split;
    least = change;
  }
  Move(group, best);
}

// A class that a split lacks is worth shares that are further off, but not a
// group that is larger than the split.
bool GroupShares::Improve(std::uint32_t group) {
  const Change taking = Taking(group);
  std::optional<std::uint32_t> best;
  Change least;
  for (std::uint32_t split = 0; split < parts_.size(); ++split) {
    if (split == split_of_[group]) continue;
    const Change change = taking + Adding(group, split);
    if (!(change < least)) continue;
    if (change.distance > 0 && !IsNoMoreThanShare(group, split)) continue;
    best = split;
    least = change;
  }
  if (best) Move(group, *best);
  return best.has_value();
}

}  // namespace shardine
