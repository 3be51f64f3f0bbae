// Audit: images that a dataset, or several, have more than once: in two splits,
// under two labels, twice in a split.
#ifndef SHARDINE_AUDIT_H_
#define SHARDINE_AUDIT_H_

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

// What copies of an image are worth, the worst first.
enum class AuditFinding : std::uint8_t {
  kLeakage,        // in several splits
  kLabelConflict,  // with different labels
  kDuplicate,      // several times in one split
};

// Views are valid during the call only.
struct AuditedSample {
  std::string_view split;  // as SplitCopies has it
  std::string_view key;
  std::uint64_t id = 0;
  std::span<const Label> labels;
  std::string_view label_text;  // names of the classes, else the labels
};

// All samples of one image, in the order of the datasets.
struct CopiedImage {
  std::span<const AuditedSample> samples;
  std::vector<AuditFinding> findings;
  bool is_proved = false;  // the images were read and have the same bytes
};

struct AuditOptions {
  // Folders, manifests or addresses of datasets; or one source that is none, as
  // ParseSourceArguments() reads it: a tree of files, or train=DIR val=DIR.
  std::vector<std::string> datasets;
  // Images of equal CRC-32C, length, width and height are taken for equal, and
  // none is read.
  bool index_only = false;
  // A .lst of the only dataset without the copies, one of each split where
  // there are several: a.lst, or a_train.lst and a_val.lst. Of each image one
  // sample stays: that in the split with fewest samples, there the first.
  // Empty: none.
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
  std::uint64_t left_out = 0;  // samples that `clean` lacks
  std::vector<std::string> lists = {};

  bool has(AuditFinding finding) const {
    return finding == AuditFinding::kLeakage         ? leaking > 0
           : finding == AuditFinding::kLabelConflict ? conflicting > 0
                                                     : duplicates > 0;
  }
};

// Finds candidates in the indexes alone, of files by their sizes. Reads those
// again, compares their XXH3-128, and calls `visit` with each image that
// several samples have, in the order of its first one. An index that is wrong
// hides copies: Verify() finds that. Samples without labels contradict none.
// kUnsupported: a key that a list cannot hold; kInvalidArgument: a list of
// several datasets, or one that is named twice.
Result<AuditResult> Audit(
    const AuditOptions& options,
    const std::function<Status(const CopiedImage&)>& visit,
    const Job& job = {});

}  // namespace shardine

#endif  // SHARDINE_AUDIT_H_
