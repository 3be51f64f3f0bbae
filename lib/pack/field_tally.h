// FieldTally: which fields samples have, which of them are left out, and of how
// many samples.
#ifndef SHARDINE_PACK_FIELD_TALLY_H_
#define SHARDINE_PACK_FIELD_TALLY_H_

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/field_counts.h"
#include "dataset/dataset_samples.h"
#include "shard/shard_index.h"
#include "shardine/pack_result.h"
#include "shardine/status.h"

namespace shardine {

// Thread-compatible. The samples must outlive it.
class FieldTally {
 public:
  explicit FieldTally(const DatasetSamples& samples) : samples_(samples) {}

  // Leaves those of a sample's fields that are kept; true if these are all.
  bool Keep(std::vector<IndexField>& fields);

  // kInvalidArgument: no sample had one of the fields that were asked for.
  Status CheckNames(const std::optional<std::vector<std::string>>& asked) const;
  // By name; those beyond the first hundred names together, as "...".
  std::vector<FieldLeft> left() const;

 private:
  const DatasetSamples& samples_;
  std::set<std::string, std::less<>> kept_;  // seen; of those asked for
  FieldCounts left_{100};
};

}  // namespace shardine

#endif  // SHARDINE_PACK_FIELD_TALLY_H_
