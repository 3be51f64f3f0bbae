// Rejected samples: samples that could not go into the dataset unchanged, the
// reasons, and the actions. A shard's rejects are kept in OUT/.pack until the
// manifest is written, so that a resumed run reports the same as an undisturbed
// one.
#ifndef SHARDINE_DATASET_REJECTS_H_
#define SHARDINE_DATASET_REJECTS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "dataset/manifest.h"
#include "io/output_folder.h"
#include "shardine/digest.h"
#include "shardine/image_check.h"
#include "shardine/rejects.h"
#include "shardine/status.h"
#include "source/shard_plan.h"

namespace shardine {

inline constexpr char kRejectedName[] = "rejected.jsonl";

inline constexpr char kQuarantineFolder[] = "quarantine";

struct Reject {
  std::string split;
  std::string key;     // any bytes
  std::string reason;  // a stable word: "empty", "no-end-marker", ...
  std::string action;  // "skip", "quarantine", "keep"
  std::string detail;  // for people
  // For a record: its shard, its number there and the byte where it lies; a
  // rest of a shard that cannot be read has no key. Empty: of no record.
  std::string file = {};
  std::optional<std::uint64_t> record = {};
  std::optional<std::uint64_t> byte = {};

  friend bool operator==(const Reject&, const Reject&) = default;
};

// One JSON object and a newline, members in order of their names.
std::string RejectLine(const Reject& reject);
// XXH3-128 of the file that holds them.
Digest128 DigestOfRejects(const std::vector<Reject>& rejects);
Result<std::vector<Reject>> ParseRejectLines(std::string_view lines);

// A file of such lines. kNotFound if there is none.
Result<std::vector<Reject>> ReadRejects(ReadableStorage& storage,
                                        const std::string& path);

// OUT/.pack/<shard>.rejected.
std::string ShardRejectsPath(const OutputFolder& output,
                             const std::string& shard);
Status SaveShardRejects(const OutputFolder& output, const std::string& shard,
                        const std::vector<Reject>& rejects);
// Rejects found by the scan of the sources.
std::vector<Reject> RejectsOfScan(const std::vector<SourceProblem>& bad,
                                  OnBad on_bad);
// The same, then each shard's, in plan order.
Result<std::vector<Reject>> CollectRejects(const OutputFolder& output,
                                           const ShardPlan& plan, OnBad on_bad);

// An image that an input kept though bad may be judged again: of two lines
// about it the later one is left.
void DropJudgedAgain(std::vector<Reject>& rejects);

// Counts by (reason, action), in that order.
std::vector<ManifestRejected> CountRejects(const std::vector<Reject>& rejects);

// Copies a rejected file to OUT/quarantine/<split>/<key>; kAlreadyExists over
// other contents. A key that could leave the folder is escaped into one name.
Status Quarantine(const OutputFolder& output, const std::string& split,
                  const std::string& key, ByteView contents);

}  // namespace shardine

#endif  // SHARDINE_DATASET_REJECTS_H_
