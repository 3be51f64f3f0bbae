#include "source/near_pairs.h"

#include <algorithm>
#include <iterator>
#include <mutex>
#include <numeric>
#include <tuple>
#include <utility>

#include "base/status_macros.h"
#include "base/stop_scope.h"
#include "pipeline/parallel_for.h"

namespace shardine {
namespace {

// Two hashes within 31 bits have one of 16 parts of 16 bits that differs by one
// bit at most.
constexpr std::size_t kParts = 16;
constexpr std::size_t kValues = std::size_t{1} << 16;
constexpr std::size_t kHashPiece = 1024;  // hashes of a piece of work
static_assert(NearLimits::kMostAny < 2 * kParts);

std::uint32_t PartOf(const PdqHash& hash, std::size_t part) {
  return static_cast<std::uint32_t>(hash[part / 4] >> (part % 4 * 16) &
                                    (kValues - 1));
}

auto Order(const NearPair& pair) {
  return std::tuple(pair.first, pair.second, pair.distance, pair.turn);
}

bool IsSamePair(const NearPair& a, const NearPair& b) {
  return a.first == b.first && a.second == b.second;
}

// The numbers of hashes, those that have the same part together, ascending.
struct Buckets {
  Buckets(std::span<const PdqHash> hashes, std::size_t part)
      : ends(kValues + 1), numbers(hashes.size()) {
    for (const PdqHash& hash : hashes) ++ends[PartOf(hash, part) + 1];
    std::partial_sum(ends.begin(), ends.end(), ends.begin());
    std::vector<std::uint32_t> next(ends.begin(), ends.end() - 1);
    std::vector<PdqHash> sorted(hashes.size());
    for (std::uint32_t i = 0; i < hashes.size(); ++i) {
      const std::uint32_t at = next[PartOf(hashes[i], part)]++;
      numbers[at] = i;
      sorted[at] = hashes[i];
    }
    table = HashTable(sorted);
  }

  std::vector<std::uint32_t> ends;
  std::vector<std::uint32_t> numbers;
  HashTable table = HashTable({});
};

// Sorts pairs of one hash from `begin` on, each once, and drops those behind
// the nearest. Returns whether there were more.
bool KeepNearest(std::vector<NearPair>& pairs, std::size_t begin) {
  const auto first = pairs.begin() + static_cast<std::ptrdiff_t>(begin);
  std::sort(first, pairs.end(), [](const NearPair& a, const NearPair& b) {
    return Order(a) < Order(b);
  });
  pairs.erase(std::unique(first, pairs.end(), IsSamePair), pairs.end());
  if (pairs.size() - begin <= NearLimits::kMost) return false;
  std::sort(first, pairs.end(), [](const NearPair& a, const NearPair& b) {
    return std::tuple(a.distance, a.first, a.second) <
           std::tuple(b.distance, b.first, b.second);
  });
  pairs.resize(begin + NearLimits::kMost);
  return true;
}

// Pairs of several threads, and the hashes that have more than are kept.
class FoundPairs {
 public:
  explicit FoundPairs(std::size_t count) : is_cut_(count) {}

  void Cut(std::uint32_t hash) { is_cut_[hash] = 1; }
  const std::vector<std::uint8_t>& is_cut() const { return is_cut_; }

  // Keeps the nearest of each second one.
  void Shorten() {
    std::vector<NearPair> all = std::exchange(pairs_, {});
    std::ranges::sort(all, {}, [](const NearPair& pair) {
      return std::tuple(pair.second, Order(pair));
    });
    for (std::size_t i = 0; i < all.size();) {
      const std::uint32_t second = all[i].second;
      const std::size_t begin = pairs_.size();
      for (; i < all.size() && all[i].second == second; ++i) {
        pairs_.push_back(all[i]);
      }
      if (KeepNearest(pairs_, begin)) Cut(second);
    }
  }

  void Add(std::vector<NearPair> pairs) {
    const std::lock_guard lock(mutex_);
    pairs_.insert(pairs_.end(), pairs.begin(), pairs.end());
  }

  // Each pair once.
  std::vector<NearPair> Take() {
    std::ranges::sort(pairs_, {}, Order);
    const auto behind = std::unique(pairs_.begin(), pairs_.end(), IsSamePair);
    pairs_.erase(behind, pairs_.end());
    return std::move(pairs_);
  }

 private:
  std::mutex mutex_;
  std::vector<NearPair> pairs_;
  std::vector<std::uint8_t> is_cut_;  // each by one thread
};

// Calls look(i, pairs) for each hash, which returns its number among all.
template <typename Look>
Status ForEachHash(std::size_t count, unsigned threads, FoundPairs& found,
                   const Look& look) {
  const std::stop_token& stop = CurrentStop();
  return ParallelFor(
      (count + kHashPiece - 1) / kHashPiece, threads,
      [&](std::size_t piece) -> Status {
        std::vector<NearPair> pairs;
        const std::size_t end = std::min(count, (piece + 1) * kHashPiece);
        for (std::size_t i = piece * kHashPiece; i < end; ++i) {
          if (stop.stop_requested()) {
            return Status(Code::kCancelled, "interrupted");
          }
          const std::size_t begin = pairs.size();
          const std::uint32_t hash = look(static_cast<std::uint32_t>(i), pairs);
          if (KeepNearest(pairs, begin)) found.Cut(hash);
        }
        found.Add(std::move(pairs));
        return Status();
      });
}

// Earlier hashes that share a part with this one but for one bit.
Status SearchPart(std::span<const PdqHash> hashes, std::size_t part,
                  std::uint32_t most, unsigned threads, FoundPairs& found) {
  const Buckets buckets(hashes, part);
  const auto look = [&](std::uint32_t i, std::vector<NearPair>& pairs) {
    for (std::uint32_t turn = 0; turn < kTurns; ++turn) {
      const PdqHash hash = Turned(hashes[i], turn);
      for (std::uint32_t bit = 0; bit <= kParts; ++bit) {
        const std::uint32_t value =
            PartOf(hash, part) ^ (bit == kParts ? 0U : 1U << bit);
        const auto first = buckets.numbers.begin() + buckets.ends[value];
        const auto behind = buckets.numbers.begin() + buckets.ends[value + 1];
        const auto end = std::lower_bound(first, behind, i);
        buckets.table.Search(
            hash, buckets.ends[value],
            static_cast<std::size_t>(end - buckets.numbers.begin()), most,
            [&](std::size_t at) {
              const std::uint32_t other = buckets.numbers[at];
              pairs.push_back({.first = other,
                               .second = i,
                               .turn = turn,
                               .distance = Distance(hashes[other], hash)});
            });
      }
    }
    return i;
  };
  SHARDINE_RETURN_IF_ERROR(ForEachHash(hashes.size(), threads, found, look));
  found.Shorten();
  return Status();
}

// The turn of the second that undoes one of the first: a quarter goes back.
std::uint32_t Undo(std::uint32_t turn) {
  return turn == 5 ? 6 : turn == 6 ? 5 : turn;
}

Status SearchAll(std::span<const PdqHash> hashes,
                 const std::vector<bool>& is_wide, std::uint32_t most,
                 unsigned threads, FoundPairs& found) {
  std::vector<std::uint32_t> wide;
  for (std::uint32_t i = 0; i < hashes.size(); ++i) {
    if (is_wide[i]) wide.push_back(i);
  }
  const HashTable table(hashes);
  const auto look = [&](std::uint32_t number, std::vector<NearPair>& pairs) {
    const std::uint32_t i = wide[number];
    for (std::uint32_t turn = 0; turn < kTurns; ++turn) {
      const PdqHash hash = Turned(hashes[i], turn);
      table.Search(hash, 0, hashes.size(), most, [&](std::size_t at) {
        const auto other = static_cast<std::uint32_t>(at);
        if (other == i || (other > i && is_wide[other])) return;
        const bool is_second = other < i;
        pairs.push_back({.first = is_second ? other : i,
                         .second = is_second ? i : other,
                         .turn = is_second ? turn : Undo(turn),
                         .distance = Distance(hashes[other], hash)});
      });
    }
    return i;
  };
  return ForEachHash(wide.size(), threads, found, look);
}

// Hashes with the equal ones among them, of which the first is searched for.
class EqualHashes {
 public:
  EqualHashes(std::span<const PdqHash> hashes, const std::vector<bool>& is_wide)
      : order_(hashes.size()) {
    std::iota(order_.begin(), order_.end(), 0U);
    std::ranges::sort(
        order_, {}, [&](std::uint32_t i) { return std::tuple(hashes[i], i); });
    for (std::size_t k = 0; k < order_.size(); ++k) {
      if (k == 0 || hashes[order_[k - 1]] != hashes[order_[k]]) {
        groups_.push_back({k, k});
      }
      groups_.back().end = k + 1;
    }
    std::ranges::sort(groups_, {},
                      [&](const Group& group) { return order_[group.begin]; });
    for (std::uint32_t g = 0; g < groups_.size(); ++g) {
      unique_.push_back(hashes[order_[groups_[g].begin]]);
      is_wide_.push_back(std::ranges::any_of(
          Members(g), [&](std::uint32_t i) { return is_wide[i]; }));
    }
  }

  std::span<const PdqHash> unique() const { return unique_; }
  const std::vector<bool>& is_wide() const { return is_wide_; }
  std::span<const std::uint32_t> Members(std::uint32_t group) const {
    const auto [begin, end] = groups_[group];
    return std::span(order_).subspan(begin, end - begin);
  }
  // The images that are compared with more than the first of their group.
  std::span<const std::uint32_t> Compared(std::uint32_t group) const {
    const auto members = Members(group);
    return members.first(std::min(members.size(), NearLimits::kMost));
  }

  // Pairs of groups become pairs of their members.
  void Spread(NearPairs& found) const {
    std::vector<NearPair> pairs;
    for (const NearPair& pair : found.pairs) {
      for (const std::uint32_t a : Compared(pair.first)) {
        for (const std::uint32_t b : Compared(pair.second)) {
          const std::uint32_t turn = a < b ? pair.turn : Undo(pair.turn);
          pairs.push_back(
              {std::min(a, b), std::max(a, b), turn, pair.distance});
        }
      }
    }
    for (std::uint32_t g = 0; g < groups_.size(); ++g) {
      const auto all = Members(g);
      const std::size_t compared = Compared(g).size();
      found.cut += all.size() - compared;
      for (std::size_t j = 1; j < all.size(); ++j) {
        const std::size_t earlier = j < compared ? j : 1;
        for (const std::uint32_t i : all.first(earlier)) {
          pairs.push_back({.first = i, .second = all[j]});
        }
      }
    }
    std::ranges::sort(pairs, {}, Order);
    found.pairs = std::move(pairs);
  }

 private:
  struct Group {
    std::size_t begin = 0;  // in order_
    std::size_t end = 0;
  };
  std::vector<std::uint32_t> order_;  // equal ones together, ascending
  std::vector<Group> groups_;         // by the first
  std::vector<PdqHash> unique_;
  std::vector<bool> is_wide_;  // any of them
};

}  // namespace

Result<NearPairs> FindNearPairs(std::span<const PdqHash> hashes,
                                const std::vector<bool>& is_wide,
                                const NearLimits& limits, unsigned threads) {
  const EqualHashes equal(hashes, is_wide);
  const std::span<const PdqHash> unique = equal.unique();
  const std::vector<bool>& wide = equal.is_wide();
  FoundPairs of_wide(unique.size());
  SHARDINE_RETURN_IF_ERROR(
      SearchAll(unique, wide, limits.wide, threads, of_wide));
  FoundPairs found(unique.size());
  const bool all_wide = std::ranges::find(wide, false) == wide.end();
  for (std::size_t part = 0; part < kParts && !all_wide; ++part) {
    SHARDINE_RETURN_IF_ERROR(
        SearchPart(unique, part, limits.any, threads, found));
  }
  found.Add(of_wide.Take());
  NearPairs result{.pairs = found.Take()};
  for (std::size_t i = 0; i < unique.size(); ++i) {
    result.cut += found.is_cut()[i] | of_wide.is_cut()[i];
  }
  equal.Spread(result);
  return result;
}

}  // namespace shardine
