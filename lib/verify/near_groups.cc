#include "verify/near_groups.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace shardine {
namespace {

// The least member of what each one is joined with.
class Joined {
 public:
  explicit Joined(std::size_t count) : least_(count) {
    std::iota(least_.begin(), least_.end(), 0U);
  }

  std::uint32_t Least(std::uint32_t member) {
    while (least_[member] != member) {
      least_[member] = least_[least_[member]];
      member = least_[member];
    }
    return member;
  }
  void Join(std::uint32_t a, std::uint32_t b) {
    a = Least(a);
    b = Least(b);
    least_[std::max(a, b)] = std::min(a, b);
  }

 private:
  std::vector<std::uint32_t> least_;
};

}  // namespace

std::vector<std::uint64_t> PositionsOf(std::span<const LikePair> pairs) {
  std::vector<std::uint64_t> positions;
  for (const LikePair& pair : pairs) {
    positions.push_back(pair.first);
    positions.push_back(pair.second);
  }
  std::ranges::sort(positions);
  const auto behind = std::unique(positions.begin(), positions.end());
  positions.erase(behind, positions.end());
  return positions;
}

NearGroups::NearGroups(const ImageCopies& copies,
                       std::span<const LikePair> pairs) {
  const std::size_t count = copies.list().size();
  std::vector<std::uint64_t> positions;
  for (std::uint32_t i = 0; i < count; ++i) {
    positions.push_back(copies.position(i));
  }
  const auto member_at = [&](std::uint64_t position) {
    return static_cast<std::uint32_t>(
        std::ranges::lower_bound(positions, position) - positions.begin());
  };
  Joined exact(count);
  for (const ImageCopies::Image& image : copies.images_of_several()) {
    for (const std::uint32_t member : image.members) {
      exact.Join(image.members[0], member);
    }
  }
  Joined all = exact;
  std::vector<bool> is_near(count);
  std::vector<bool> is_looser(count);  // not by pixels alone
  for (const LikePair& pair : pairs) {
    const std::uint32_t a = member_at(pair.first);
    const std::uint32_t b = member_at(pair.second);
    if (exact.Least(a) == exact.Least(b)) continue;
    is_near[a] = true;
    is_looser[a] = is_looser[a] || !pair.has_same_pixels;
    all.Join(a, b);
  }
  std::vector<bool> wanted(count);
  std::vector<bool> looser(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    if (is_near[i]) wanted[all.Least(i)] = true;
    if (is_looser[i]) looser[all.Least(i)] = true;
  }
  for (std::uint32_t i = 0; i < count; ++i) {
    if (wanted[all.Least(i)]) members_.push_back(i);
  }
  std::ranges::sort(members_, {}, [&](std::uint32_t i) {
    return std::pair(all.Least(i), i);
  });
  const std::span<const std::uint32_t> members(members_);
  for (std::size_t begin = 0; begin < members.size();) {
    const std::uint32_t least = all.Least(members[begin]);
    std::size_t end = begin + 1;
    while (end < members.size() && all.Least(members[end]) == least) ++end;
    images_.push_back({members.subspan(begin, end - begin), !looser[least]});
    kinds_.push_back(looser[least] ? CopyKind::kNear : CopyKind::kPixels);
    begin = end;
  }
}

}  // namespace shardine
