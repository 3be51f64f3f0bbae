// PackResult: the result of a verb that makes a dataset.
#ifndef SHARDINE_PACK_RESULT_H_
#define SHARDINE_PACK_RESULT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "shardine/contents.h"
#include "shardine/digest.h"
#include "shardine/entry_points.h"
#include "shardine/rejects.h"
#include "shardine/split_copies.h"

namespace shardine {

// The counts of the images at one size.
struct SizeResult {
  std::string path;  // "sz/160"
  std::uint64_t bytes = 0;
  std::uint64_t upscaled = 0;  // were smaller and have grown
  std::uint64_t kept = 0;      // were small enough and are as they were
  EntryPointCounts entry_points;
  Digest128 content_digest;
};

// A list that an index of shard files was made with.
struct UsedList {
  std::string path;
  std::string shard;           // that it was used for
  std::string by;              // "key", "id" or "position"
  std::uint64_t records = 0;   // of the shard
  std::uint64_t matched = 0;   // of those
  std::uint64_t labelled = 0;  // had no label, and have the list's
};

// A field that was left out, and of how many samples.
struct FieldLeft {
  std::string name;
  std::uint64_t samples = 0;

  friend bool operator==(const FieldLeft&, const FieldLeft&) = default;
};

struct PackResult {
  std::string output;
  std::string format;
  std::uint64_t samples = 0;
  std::uint64_t classes = 0;
  std::uint64_t shards = 0;         // of each variant
  std::uint64_t shards_reused = 0;  // finished by an interrupted run before
  std::uint64_t bytes = 0;          // of the original images packed
  bool nothing_to_do = false;       // OUT was complete already
  bool contents_compared = false;   // then; else only names and sizes were
  EntryPointCounts entry_points;    // of OUT itself, not of the sizes
  Digest128 content_digest;         // of the source samples
  DatasetContents contents;         // of OUT itself
  std::vector<SizeResult> sizes;    // by short side
  std::vector<RejectedCount> rejected;
  // Samples that the inputs had lost when they were made.
  std::vector<RejectedCount> rejected_before;
  std::vector<RejectedCount> ignored;
  // The file of the output that lists them by name; empty: none does.
  std::string ignored_list = {};
  std::vector<UsedList> lists;  // of IndexShards
  // Convert() alone fills this, by name; fields beyond the first 100 are summed
  // as the last, "...".
  std::vector<FieldLeft> fields_left;
  // The files of the dataset that gave way, by their paths in `output`.
  std::vector<std::string> replaced;
  // The images that the splits of a new dataset share; empty for one split.
  std::vector<SplitCopies> copies = {};
  std::vector<std::string> warnings;
};

}  // namespace shardine

#endif  // SHARDINE_PACK_RESULT_H_
