// AuditFindings: the weight of the copies that an audit found.
#ifndef SHARDINE_VERIFY_AUDIT_FINDINGS_H_
#define SHARDINE_VERIFY_AUDIT_FINDINGS_H_

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "dataset/image_copies.h"
#include "shardine/audit.h"
#include "source/near_copies.h"
#include "source/odd_images.h"

namespace shardine {

// Ascending positions of the samples in any pair, and of odd ones.
std::vector<std::uint64_t> PositionsOf(std::span<const LikePair> pairs,
                                       std::span<const OddPosition> odd = {});

// Counts copies, and shows each image that has some. Thread-compatible.
class AuditFindings {
 public:
  using Visit = std::function<Status(const CopiedImage&)>;

  // All must outlive it.
  AuditFindings(const ImageCopies& copies, const Visit& visit,
                AuditResult& result);

  Status AddCopies();
  // Samples of the same bytes or pixels are one image, since those are the same
  // in a row, too. Images that look alike are findings two by two. REQUIRES:
  // the copies list all PositionsOf() the pairs.
  Status AddNear(std::span<const LikePair> pairs);

  // Counts odd images and calls `visit` with each. REQUIRES: the copies list
  // their positions.
  Status AddOdd(std::span<const OddPosition> odd,
                const std::function<Status(const OddImage&)>& visit);

  // By position: whether a sample is a copy of one that stays, as
  // AuditOptions::clean has it.
  std::vector<bool> LeftOut();

 private:
  // The samples of a finding: of one image or, from `second` on, of another.
  struct Shown {
    std::span<const std::uint32_t> members;
    std::size_t second = 0;  // 0: there is none
    CopyKind kind = CopyKind::kBytes;
    bool is_proved = false;
  };
  struct Counts;

  std::uint32_t Least(std::uint32_t member);
  bool Join(std::uint32_t a, std::uint32_t b);
  std::uint32_t MemberAt(std::uint64_t position) const;
  void SortMembers();
  std::span<const std::uint32_t> MembersOf(std::uint32_t image) const;
  void CountLater(std::span<const std::uint32_t> earlier,
                  std::span<const std::uint32_t> members);
  // A view of `labels` and `text`.
  AuditedSample SampleOf(std::uint32_t member, std::vector<Label>& labels,
                         std::string& text) const;
  Status Show(const Shown& shown, Counts& counts) const;

  const ImageCopies& copies_;
  const Visit& visit_;
  AuditResult& result_;
  std::vector<std::uint64_t> positions_;  // by member, as the next ones
  std::vector<std::uint32_t> least_;      // of the same image, in steps
  std::vector<std::uint32_t> sorted_;     // those of an image together
  std::vector<std::pair<std::uint32_t, std::uint32_t>> near_;  // least members
  std::vector<bool> is_later_;  // than an alike one of its split
};

}  // namespace shardine

#endif  // SHARDINE_VERIFY_AUDIT_FINDINGS_H_
