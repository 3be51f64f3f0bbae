// GroupShares: finds the split of each group, such that splits have their
// shares of all samples and of each class.
#ifndef SHARDINE_SOURCE_GROUP_SHARES_H_
#define SHARDINE_SOURCE_GROUP_SHARES_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/wide_integer.h"

namespace shardine {

// Samples that a group has of a stratum. Stratum 0 is all samples.
struct GroupCell {
  std::uint32_t stratum = 0;
  std::int64_t count = 0;
};

struct GroupCells {
  std::vector<GroupCell> cells;      // group by group, stratum 0 first
  std::vector<std::uint64_t> begin;  // by group, and behind the last

  std::size_t size() const { return begin.size() - 1; }
  std::span<const GroupCell> of(std::uint32_t group) const {
    return std::span(cells).subspan(begin[group],
                                    begin[group + 1] - begin[group]);
  }
};

// Used by one thread.
class GroupShares {
 public:
  static constexpr std::uint32_t kNowhere = ~std::uint32_t{0};

  // `parts` has the parts of kWholeShare by split. `groups` must outlive the
  // object. REQUIRES: fewer than 2^32 samples.
  GroupShares(const GroupCells& groups, std::vector<std::uint64_t> parts);

  // Places a group for good.
  void Fix(std::uint32_t group, std::uint32_t split);
  // Places the groups that are not fixed, as ApplyGroups() says (group_cut.h).
  // `order` has all groups. Ends at last when no more of `steps` are left, some
  // ten nanoseconds each.
  void Place(std::span<const std::uint32_t> order, std::int64_t& steps);

  // Whether fewer classes are lacking in its splits, or as many and shares are
  // nearer. REQUIRES: of the same groups and parts.
  bool IsBetterThan(const GroupShares& other) const;
  const std::vector<std::uint32_t>& splits() const { return split_of_; }
  std::int64_t size(std::uint32_t stratum) const { return sizes_[stratum]; }
  std::int64_t count(std::uint32_t stratum, std::uint32_t split) const {
    return counts_[split * sizes_.size() + stratum];
  }
  std::uint32_t strata() const {
    return static_cast<std::uint32_t>(sizes_.size());
  }

 private:
  // How good a step is, less is better: first by the strata that splits lack.
  struct Change {
    std::int64_t lacking = 0;
    SignedWide distance = 0;

    friend Change operator+(const Change& a, const Change& b) {
      return {a.lacking + b.lacking, a.distance + b.distance};
    }
    friend bool operator<(const Change& a, const Change& b) {
      return a.lacking != b.lacking ? a.lacking < b.lacking
                                    : a.distance < b.distance;
    }
  };

  Change Adding(std::uint32_t group, std::uint32_t split) const;
  // The change where `group` goes to another split, and `back` comes from
  // there.
  Change Exchanging(std::uint32_t group, std::uint32_t split,
                    std::span<const GroupCell> back) const;
  Change Total() const;
  void AddShift(std::uint32_t stratum, std::int64_t shift, std::uint32_t from,
                std::uint32_t to, Change& change) const;
  SignedWide Owed(std::uint32_t stratum, std::uint32_t split) const;
  bool IsNoMoreThanShare(std::uint32_t group, std::uint32_t split) const;
  void Move(std::uint32_t group, std::uint32_t to);
  void PlaceFirst(std::uint32_t group);
  bool Improve(std::span<const std::uint32_t> ordered, std::size_t place,
               std::size_t near, std::int64_t& steps);

  std::int64_t& count_of(std::uint32_t stratum, std::uint32_t split) {
    return counts_[split * sizes_.size() + stratum];
  }

  const GroupCells& groups_;
  const std::vector<std::uint64_t> parts_;
  std::vector<std::int64_t> sizes_;   // by stratum
  std::vector<std::int64_t> counts_;  // by split and stratum
  std::vector<std::uint32_t> split_of_;
  std::vector<bool> fixed_;
};

}  // namespace shardine

#endif  // SHARDINE_SOURCE_GROUP_SHARES_H_
