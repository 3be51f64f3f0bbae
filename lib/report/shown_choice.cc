#include "report/shown_choice.h"

#include <algorithm>
#include <tuple>

#include "base/bytes.h"
#include "base/checksum.h"
#include "base/permutation.h"
#include "report/page_text.h"

namespace shardine {
namespace {

std::uint64_t ChoiceHash(std::uint64_t seed, const ChosenSample& sample) {
  std::byte place[16];
  StoreLe<std::uint64_t>(sample.shard, place);
  StoreLe<std::uint64_t>(sample.record, place + 8);
  return Xxh3_64(place, seed);
}

}  // namespace

std::vector<std::size_t> EqualShares(std::span<const std::uint64_t> sizes,
                                     std::size_t most, std::uint64_t seed) {
  std::vector<std::size_t> shares(sizes.size());
  if (sizes.empty()) return shares;
  const auto filled = static_cast<std::size_t>(std::ranges::count_if(
      sizes, [](std::uint64_t size) { return size > 0; }));
  const Permutation shuffled(sizes.size(), seed, "report");
  std::vector<std::size_t> order(sizes.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    order[i] = static_cast<std::size_t>(shuffled(i));
  }
  // The small groups come first: the groups after each share the places that it
  // leaves. Where places are fewer than groups, all sizes have the same chance.
  const std::size_t bound = filled > most ? 1 : most;
  std::ranges::stable_sort(order, {}, [&](std::size_t i) {
    return std::min<std::uint64_t>(sizes[i], bound);
  });
  std::size_t left = most;
  for (std::size_t i = 0; i < order.size(); ++i) {
    // Rounded up, so that places which are fewer than groups go to the first.
    const std::size_t groups = order.size() - i;
    const std::size_t share = (left + groups - 1) / groups;
    shares[order[i]] = static_cast<std::size_t>(
        std::min<std::uint64_t>(sizes[order[i]], share));
    left -= shares[order[i]];
  }
  return shares;
}

void ShownChoice::Offer(const ChosenSample& sample, std::string_view key) {
  std::vector<Kept>& kept = kept_[sample.row];
  const std::size_t share = shares_[sample.row];
  const std::uint64_t hash = ChoiceHash(seed_, sample);
  if (share == 0 || (kept.size() == share && hash >= kept.front().hash)) {
    return;
  }
  if (kept.size() == share) {
    std::ranges::pop_heap(kept, {}, &Kept::hash);
    kept.pop_back();
  }
  kept.push_back({.hash = hash, .sample = sample});
  kept.back().sample.key = PageName(key);
  std::ranges::push_heap(kept, {}, &Kept::hash);
}

std::vector<ChosenSample> ShownChoice::Take() {
  std::vector<ChosenSample> chosen;
  for (std::vector<Kept>& kept : kept_) {
    for (Kept& each : kept) chosen.push_back(std::move(each.sample));
    kept.clear();
  }
  std::ranges::sort(chosen, {}, [](const ChosenSample& sample) {
    return std::tuple(sample.shard, sample.record);
  });
  return chosen;
}

}  // namespace shardine
