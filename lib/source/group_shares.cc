#include "source/group_shares.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "source/strata.h"

namespace shardine {
namespace {

// Groups of nearly one size, on either side, with which an exchange of each is
// tried. Where there are many groups, fewer, so that all get some passes.
constexpr std::size_t kMostNear = 64;

std::size_t NearOf(std::int64_t steps, std::size_t cells) {
  const auto all = static_cast<std::size_t>(std::max<std::int64_t>(0, steps));
  return std::min(kMostNear, all / 16 / (1 + cells));
}

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

GroupShares::GroupShares(const GroupCells& groups,
                         std::vector<std::uint64_t> parts)
    : groups_(groups),
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

void GroupShares::Place(std::span<const std::uint32_t> order,
                        std::int64_t& steps) {
  for (const std::uint32_t group : order) {
    if (!fixed_[group]) PlaceFirst(group);
  }
  std::vector<std::uint32_t> ordered(order.begin(), order.end());
  std::ranges::stable_sort(ordered, {}, [&](std::uint32_t group) {
    return groups_.of(group).front().count;
  });
  const std::size_t near = NearOf(steps, groups_.cells.size());
  for (bool improved = true; improved;) {
    improved = false;
    for (std::size_t place = 0; place < ordered.size(); ++place) {
      if (Improve(ordered, place, near, steps)) improved = true;
    }
  }
}

bool GroupShares::IsBetterThan(const GroupShares& other) const {
  return Total() < other.Total();
}

GroupShares::Change GroupShares::Total() const {
  Change total;
  for (std::uint32_t split = 0; split < parts_.size(); ++split) {
    for (std::uint32_t stratum = 0; stratum < strata(); ++stratum) {
      total.lacking += count(stratum, split) == 0 ? 1 : 0;
      // Square(owed), as the growth from nothing.
      total.distance += SquareGrowth(0, Owed(stratum, split), sizes_[stratum]);
    }
  }
  return total;
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

void GroupShares::AddShift(std::uint32_t stratum, std::int64_t shift,
                           std::uint32_t from, std::uint32_t to,
                           Change& change) const {
  const auto lacks = [](std::int64_t count) { return count == 0 ? 1 : 0; };
  const std::int64_t before = count(stratum, from);
  const std::int64_t there = count(stratum, to);
  change.lacking += lacks(before - shift) - lacks(before) +
                    lacks(there + shift) - lacks(there);
  change.distance +=
      SquareGrowth(Owed(stratum, from), -InParts(shift), sizes_[stratum]) +
      SquareGrowth(Owed(stratum, to), InParts(shift), sizes_[stratum]);
}

GroupShares::Change GroupShares::Exchanging(
    std::uint32_t group, std::uint32_t split,
    std::span<const GroupCell> back) const {
  const std::uint32_t from = split_of_[group];
  std::span<const GroupCell> there = groups_.of(group);
  Change change;
  while (!there.empty() || !back.empty()) {
    const bool is_there =
        !there.empty() &&
        (back.empty() || there.front().stratum <= back.front().stratum);
    const bool is_back =
        !back.empty() &&
        (!is_there || back.front().stratum == there.front().stratum);
    const std::uint32_t stratum =
        is_there ? there.front().stratum : back.front().stratum;
    const std::int64_t shift = (is_there ? there.front().count : 0) -
                               (is_back ? back.front().count : 0);
    AddShift(stratum, shift, from, split, change);
    if (is_there) there = there.subspan(1);
    if (is_back) back = back.subspan(1);
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
bool GroupShares::Improve(std::span<const std::uint32_t> ordered,
                          std::size_t place, std::size_t near,
                          std::int64_t& steps) {
  const std::uint32_t group = ordered[place];
  if (fixed_[group] || steps <= 0) return false;
  const std::uint32_t from = split_of_[group];
  Change least;
  std::uint32_t to = from;
  std::uint32_t back = group;  // none
  const auto weigh = [&](std::uint32_t split, std::uint32_t other) {
    const bool is_exchange = other != group;
    const auto cells =
        is_exchange ? groups_.of(other) : std::span<const GroupCell>();
    steps -= static_cast<std::int64_t>(groups_.of(group).size() + cells.size());
    const Change change = Exchanging(group, split, cells);
    if (!(change < least)) return;
    if (change.distance > 0 &&
        (!IsNoMoreThanShare(group, split) ||
         (is_exchange && !IsNoMoreThanShare(other, from)))) {
      return;
    }
    least = change;
    to = split;
    back = other;
  };
  for (std::uint32_t split = 0; split < parts_.size(); ++split) {
    if (split != from) weigh(split, group);
  }
  const std::size_t begin = place - std::min(place, near);
  const std::size_t end = std::min(place + near + 1, ordered.size());
  for (const std::uint32_t other : ordered.subspan(begin, end - begin)) {
    const std::uint32_t split = split_of_[other];
    if (split != from && !fixed_[other]) weigh(split, other);
  }
  if (to == from) return false;
  Move(group, to);
  if (back != group) Move(back, from);
  return true;
}

}  // namespace shardine
