#include "verify/audit_findings.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <tuple>

#include "base/status_macros.h"

namespace shardine {

std::vector<std::uint64_t> PositionsOf(std::span<const LikePair> pairs,
                                       std::span<const OddPosition> odd) {
  std::vector<std::uint64_t> positions;
  for (const LikePair& pair : pairs) {
    positions.push_back(pair.first);
    positions.push_back(pair.second);
  }
  for (const OddPosition& each : odd) positions.push_back(each.position);
  std::ranges::sort(positions);
  const auto behind = std::unique(positions.begin(), positions.end());
  positions.erase(behind, positions.end());
  return positions;
}

// Findings of one kind.
struct AuditFindings::Counts {
  std::uint64_t& leaking;
  std::uint64_t& conflicting;
};

AuditFindings::AuditFindings(const ImageCopies& copies, const Visit& visit,
                             AuditResult& result)
    : copies_(copies),
      visit_(visit),
      result_(result),
      least_(copies.list().size()),
      is_later_(copies.list().size()) {
  std::iota(least_.begin(), least_.end(), 0U);
  for (std::uint32_t i = 0; i < least_.size(); ++i) {
    positions_.push_back(copies.position(i));
  }
  for (const ImageCopies::Image& image : copies.images_of_several()) {
    for (const std::uint32_t member : image.members) {
      Join(image.members[0], member);
    }
  }
  SortMembers();
}

std::uint32_t AuditFindings::Least(std::uint32_t member) {
  while (least_[member] != member) {
    least_[member] = least_[least_[member]];
    member = least_[member];
  }
  return member;
}

// Returns whether they were apart.
bool AuditFindings::Join(std::uint32_t a, std::uint32_t b) {
  a = Least(a);
  b = Least(b);
  least_[std::max(a, b)] = std::min(a, b);
  return a != b;
}

std::uint32_t AuditFindings::MemberAt(std::uint64_t position) const {
  const auto at = std::ranges::lower_bound(positions_, position);
  return static_cast<std::uint32_t>(at - positions_.begin());
}

void AuditFindings::SortMembers() {
  for (std::uint32_t i = 0; i < least_.size(); ++i) least_[i] = Least(i);
  sorted_.resize(least_.size());
  std::iota(sorted_.begin(), sorted_.end(), 0U);
  std::ranges::sort(sorted_, {},
                    [&](std::uint32_t i) { return std::pair(least_[i], i); });
}

// REQUIRES: SortMembers() since the last Join().
std::span<const std::uint32_t> AuditFindings::MembersOf(
    std::uint32_t image) const {
  const auto image_of = [&](std::uint32_t i) { return least_[i]; };
  const auto begin = std::ranges::lower_bound(sorted_, image, {}, image_of);
  const auto end = std::ranges::upper_bound(sorted_, image, {}, image_of);
  return {begin, end};
}

Status AuditFindings::AddCopies() {
  Counts counts{result_.leaking, result_.conflicting};
  for (const ImageCopies::Image& image : copies_.images_of_several()) {
    CountLater(image.members, image.members);
    result_.unproved += image.is_proved ? 0 : 1;
    SHARDINE_RETURN_IF_ERROR(Show({.members = image.members,
                                   .second = 0,
                                   .kind = CopyKind::kBytes,
                                   .is_proved = image.is_proved},
                                  counts));
  }
  result_.duplicates =
      static_cast<std::uint64_t>(std::ranges::count(is_later_, true));
  result_.splits = copies_.CountBySplits();
  return Status();
}

Status AuditFindings::AddNear(std::span<const LikePair> pairs) {
  std::set<std::uint32_t> joined;
  for (const LikePair& pair : pairs) {
    if (pair.kind == CopyKind::kNear) continue;
    const std::uint32_t first = MemberAt(pair.first);
    if (Join(first, MemberAt(pair.second))) joined.insert(first);
  }
  SortMembers();
  std::set<std::uint32_t> images;
  for (const std::uint32_t member : joined) images.insert(Least(member));
  for (const LikePair& pair : pairs) {
    const std::uint32_t a = Least(MemberAt(pair.first));
    const std::uint32_t b = Least(MemberAt(pair.second));
    if (a != b) near_.emplace_back(std::min(a, b), std::max(a, b));
  }
  std::ranges::sort(near_);
  near_.erase(std::unique(near_.begin(), near_.end()), near_.end());

  is_later_.assign(is_later_.size(), false);
  Counts counts{result_.near_leaking, result_.near_conflicting};
  std::vector<ImageCopies::ImagePair> shared;
  for (const std::uint32_t image : images) {
    const auto members = MembersOf(image);
    shared.push_back({members, members});
    CountLater(members, members);
    SHARDINE_RETURN_IF_ERROR(Show({.members = members,
                                   .second = 0,
                                   .kind = CopyKind::kPixels,
                                   .is_proved = true},
                                  counts));
  }
  std::vector<std::uint32_t> members;
  for (const auto& [a, b] : near_) {
    const auto first = MembersOf(a);
    const auto second = MembersOf(b);
    shared.push_back({first, second});
    CountLater(first, second);
    CountLater(second, first);
    members.assign(first.begin(), first.end());
    members.insert(members.end(), second.begin(), second.end());
    SHARDINE_RETURN_IF_ERROR(Show({.members = members,
                                   .second = first.size(),
                                   .kind = CopyKind::kNear,
                                   .is_proved = true},
                                  counts));
  }
  result_.near_pairs = near_.size();
  result_.same_pixels = images.size();
  result_.near_duplicates =
      static_cast<std::uint64_t>(std::ranges::count(is_later_, true));
  result_.near_splits = copies_.CountBySplits(shared);
  return Status();
}

// Notes those of the members that have an earlier one in their split.
void AuditFindings::CountLater(std::span<const std::uint32_t> earlier,
                               std::span<const std::uint32_t> members) {
  std::map<std::uint32_t, std::uint32_t> first;  // by split
  for (const std::uint32_t member : earlier) {
    first.emplace(copies_.list().split(member), member);
  }
  for (const std::uint32_t member : members) {
    const auto at = first.find(copies_.list().split(member));
    if (at != first.end() && at->second < member) is_later_[member] = true;
  }
}

AuditedSample AuditFindings::SampleOf(std::uint32_t member,
                                      std::vector<Label>& labels,
                                      std::string& text) const {
  const SourceList& list = copies_.list();
  list.GetLabels(member, labels);
  text = copies_.LabelText(member);
  return {.split = copies_.splits()[list.split(member)].name,
          .key = list.key(member),
          .id = list.id(member),
          .labels = labels,
          .label_text = text};
}

Status AuditFindings::AddOdd(
    std::span<const OddPosition> odd,
    const std::function<Status(const OddImage&)>& visit) {
  for (const AuditFinding finding : kOddFindings) {
    OddCount& count = result_.odd.emplace_back();
    count.finding = finding;
    for (const OddPosition& each : odd) {
      const auto end = each.findings.end();
      count.images += std::find(each.findings.begin(), end, finding) != end;
    }
  }
  if (!visit) return Status();
  std::vector<Label> labels;
  std::string text;
  for (const OddPosition& each : odd) {
    const AuditedSample sample =
        SampleOf(MemberAt(each.position), labels, text);
    SHARDINE_RETURN_IF_ERROR(
        visit({.sample = sample, .findings = each.findings}));
  }
  return Status();
}

Status AuditFindings::Show(const Shown& shown, Counts& counts) const {
  const SourceList& list = copies_.list();
  std::vector<AuditedSample> samples;
  std::vector<std::vector<Label>> labels(shown.members.size());
  std::vector<std::string> texts(shown.members.size());
  // By image: splits, and labels.
  std::set<std::uint32_t> splits[2];
  std::set<std::string_view> names[2];
  for (std::size_t i = 0; i < shown.members.size(); ++i) {
    const std::uint32_t member = shown.members[i];
    const int image = i < shown.second ? 1 : 0;
    samples.push_back(SampleOf(member, labels[i], texts[i]));
    splits[image].insert(list.split(member));
    if (!texts[i].empty()) names[image].insert(texts[i]);
  }
  const auto differ = [&](auto(&sets)[2]) {
    const auto& other = shown.second == 0 ? sets[0] : sets[1];
    return std::ranges::any_of(sets[0], [&](const auto& one) {
      return std::ranges::any_of(other,
                                 [&](const auto& each) { return one != each; });
    });
  };
  const bool is_twice =
      shown.second == 0
          ? shown.members.size() > splits[0].size()
          : std::ranges::any_of(splits[0], [&](std::uint32_t split) {
              return splits[1].contains(split);
            });
  CopiedImage image{.samples = samples,
                    .second = shown.second,
                    .findings = {},
                    .kind = shown.kind,
                    .is_proved = shown.is_proved};
  if (differ(splits)) image.findings.push_back(AuditFinding::kLeakage);
  if (differ(names)) image.findings.push_back(AuditFinding::kLabelConflict);
  if (is_twice) image.findings.push_back(AuditFinding::kDuplicate);
  counts.leaking += differ(splits) ? 1 : 0;
  counts.conflicting += differ(names) ? 1 : 0;
  return visit_(image);
}

std::vector<bool> AuditFindings::LeftOut() {
  std::vector<std::uint32_t> order(least_.size());
  std::iota(order.begin(), order.end(), 0U);
  // Copies in a large split spoil an evaluation on the small one.
  std::ranges::sort(order, {}, [&](std::uint32_t member) {
    return std::pair(copies_.splits()[copies_.list().split(member)].samples,
                     member);
  });
  std::vector<std::pair<std::uint32_t, std::uint32_t>> likes = near_;
  for (const auto& [a, b] : near_) likes.emplace_back(b, a);
  std::ranges::sort(likes);
  std::vector<bool> is_taken(least_.size());  // by image: one like it stays
  std::vector<bool> left_out(static_cast<std::size_t>(copies_.samples()));
  for (const std::uint32_t member : order) {
    const std::uint32_t image = Least(member);
    if (is_taken[image]) {
      left_out[static_cast<std::size_t>(positions_[member])] = true;
      continue;
    }
    is_taken[image] = true;
    const auto first = std::ranges::lower_bound(likes, std::pair(image, 0U));
    for (auto at = first; at != likes.end() && at->first == image; ++at) {
      is_taken[at->second] = true;
    }
  }
  return left_out;
}

}  // namespace shardine
