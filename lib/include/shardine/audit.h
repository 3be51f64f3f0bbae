// Audit: images that a dataset, or several, have more than once: in two splits,
// under two labels, twice in a split; and odd images.
#ifndef SHARDINE_AUDIT_H_
#define SHARDINE_AUDIT_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "shardine/job.h"
#include "shardine/sample.h"
#include "shardine/split_copies.h"
#include "shardine/status.h"

namespace shardine {

// The kinds of copies of an image, the worst first; then the kinds of odd
// images, which have the names and the definitions of CleanVision 0.3.7. Its
// exact_duplicates and near_duplicates are the copies.
enum class AuditFinding : std::uint8_t {
  kLeakage,         // in several splits
  kLabelConflict,   // with different labels
  kDuplicate,       // several times in one split
  kDark,            // the 99th percentile of brightness is below 0.32
  kLight,           // the 5th percentile of brightness is above 0.95
  kOddAspectRatio,  // one side is below 0.35 of the other one
  kLowInformation,  // the entropy of its levels is below 3 bits
  kBlurry,          // few edges and few tones at 64 pixels
  kGrayscale,       // one channel
  kOddSize,         // sqrt(width * height) is far from most images
};

inline constexpr AuditFinding kOddFindings[] = {
    AuditFinding::kDark,           AuditFinding::kLight,
    AuditFinding::kOddAspectRatio, AuditFinding::kLowInformation,
    AuditFinding::kBlurry,         AuditFinding::kGrayscale,
    AuditFinding::kOddSize};

// How images are known to be the same.
enum class CopyKind : std::uint8_t {
  kBytes,
  kPixels,  // under other bytes
  kNear,    // they look alike
};

// Views are valid during the call only.
struct AuditedSample {
  std::string_view split;  // as SplitCopies has it
  std::string_view key;
  std::uint64_t id = 0;
  std::span<const Label> labels;
  std::string_view label_text;  // names of the classes, else the labels
};

// All samples of one image, in the order of the datasets. For kind kNear, the
// samples of two images that were compared: each finding pairs one with the
// other.
struct CopiedImage {
  std::span<const AuditedSample> samples;
  std::size_t second = 0;  // the first sample of the other image; 0: no other
  std::vector<AuditFinding> findings;
  CopyKind kind = CopyKind::kBytes;
  // The images were read, and are as `kind` says.
  bool is_proved = false;
};

// An image with findings of kOddFindings, ascending.
struct OddImage {
  const AuditedSample& sample;
  std::vector<AuditFinding> findings;
};

struct OddCount {
  AuditFinding finding = AuditFinding::kDark;
  std::uint64_t images = 0;
};

// An estimate of the work to search for images that look alike.
struct NearWork {
  std::uint64_t images = 0;
  std::uint64_t comparisons = 0;  // of hashes
  double seconds = 0;
};

// As far as hashes may be apart for the pixels to be compared.
inline constexpr std::uint64_t kMostNearDistance = 101;

struct AuditOptions {
  // Folders, manifests or addresses of datasets; or one source that is none, as
  // ParseSourceArguments() reads it: a tree of files, or train=DIR val=DIR.
  std::vector<std::string> datasets;
  // Images of equal CRC-32C, length, width and height are taken for equal, and
  // none is read.
  bool index_only = false;
  // Images that look alike are found, too: each is decoded to 64 x 64 pixels,
  // some 700 photos a second and thread (3,500 of variants sz/N, which are
  // taken where there are some), and hashed by PDQ. Two whose hashes are up to
  // 31 of 256 bits apart are candidates, up to 84 if one is in the smallest
  // splits, of 50,000 samples together, at any of 8 flips and turns. They are
  // copies if their pixels are alike: a normalised cross-correlation of 0.606
  // and 0.004 for each bit, the one moved by up to 2 pixels; or of 0.95 where
  // the one is cut by 2 to 5 % at each side. Each image is compared with its
  // nearest 64 candidates.
  bool near = false;
  // The distance of candidates instead, of any two; kMostNearDistance at most,
  // 0: as above. From 32 on all images are compared with all.
  std::uint64_t near_distance = 0;
  // Called before that search.
  std::function<void(const NearWork&)> near_begins = {};
  // Odd images are found, too: each is decoded as the dataset has it, a JPEG at
  // the least of eight sizes that has 64 pixels at its short side. odd_size
  // compares all images of the datasets.
  bool odd = false;
  // Called with each of them after the copies, in the order of the datasets.
  std::function<Status(const OddImage&)> visit_odd = {};
  // Decoding threads; 0: as many as this process may use. The result is the
  // same.
  unsigned threads = 0;
  // A .lst of the only dataset without the copies, one of each split where
  // there are several: a.lst, or a_train.lst and a_val.lst. From the smallest
  // split to the largest, each in its order, a sample stays unless it is a copy
  // of one that stays: proved or, with `near`, compared and alike. Empty: none.
  std::string clean = {};
};

struct AuditResult {
  std::uint64_t samples = 0;
  std::uint64_t images = 0;  // of them, have an image with a checksum
  std::uint64_t bytes = 0;   // of the images that were read again
  // Images that several samples have: in several splits, with different labels,
  // and those that are not in the shards as such, so that nothing was proved.
  std::uint64_t leaking = 0;
  std::uint64_t conflicting = 0;
  std::uint64_t unproved = 0;
  // Samples behind the first of their image in their split.
  std::uint64_t duplicates = 0;
  std::vector<SplitCopies> splits = {};
  // With `near`, the same for samples shown as kPixels or kNear; a sample in
  // several findings counts once. Samples with the same bytes count with each
  // other.
  std::uint64_t same_pixels = 0;  // images that samples have in other bytes
  std::uint64_t near_pairs = 0;   // of images that were compared and are alike
  std::uint64_t near_leaking = 0;
  std::uint64_t near_conflicting = 0;
  std::uint64_t near_duplicates = 0;
  std::vector<SplitCopies> near_splits = {};
  // With `odd`: images by finding, one for each of kOddFindings.
  std::vector<OddCount> odd = {};
  // The images that were not compared: those that cannot be read or, with
  // `near` or `odd`, decoded; those of kinds that are not decoded; those with
  // next to nothing in them, as of one color; and of some not all candidates.
  std::uint64_t unread = 0;
  std::vector<Status> problems = {};  // the first 100 of those
  std::uint64_t unsupported = 0;
  std::uint64_t plain = 0;
  std::uint64_t cut = 0;
  std::uint64_t left_out = 0;  // samples that `clean` lacks
  std::vector<std::string> lists = {};

  bool has(AuditFinding finding) const {
    switch (finding) {
      case AuditFinding::kLeakage:
        return leaking + near_leaking > 0;
      case AuditFinding::kLabelConflict:
        return conflicting + near_conflicting > 0;
      case AuditFinding::kDuplicate:
        return duplicates + near_duplicates > 0;
      default:
        return std::ranges::any_of(odd, [&](const OddCount& count) {
          return count.finding == finding && count.images > 0;
        });
    }
  }
};

// Finds candidates in the indexes alone, of files by their sizes. Reads those
// again, compares their XXH3-128, and calls `visit` with each image that
// several samples have, in the order of its first one; then with those of the
// same pixels, and with each two that are alike. An index that is wrong hides
// copies: Verify() finds that. Samples without labels contradict none.
// kUnsupported: a key that a list cannot hold; kInvalidArgument: a list of
// several datasets, or one that is named twice, or `near` or `odd` by indexes
// only.
Result<AuditResult> Audit(
    const AuditOptions& options,
    const std::function<Status(const CopiedImage&)>& visit,
    const Job& job = {});

}  // namespace shardine

#endif  // SHARDINE_AUDIT_H_
