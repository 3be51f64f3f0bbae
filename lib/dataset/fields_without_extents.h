// FieldsWithoutExtents: fields of a scanned shard without extents in the file
// (compressed or derived), and how many samples have them: they can be
// converted, not streamed.
#ifndef SHARDINE_DATASET_FIELDS_WITHOUT_EXTENTS_H_
#define SHARDINE_DATASET_FIELDS_WITHOUT_EXTENTS_H_

#include <string>

#include "base/field_counts.h"
#include "shard/shard_index.h"

namespace shardine {

// Thread-compatible.
class FieldsWithoutExtents {
 public:
  void Add(const IndexEntry& entry);
  bool empty() const { return samples_.counts().empty(); }
  // A sentence for people, which names the fields. REQUIRES: !empty().
  std::string Warning(const std::string& path) const;

 private:
  FieldCounts samples_{8};
};

}  // namespace shardine

#endif  // SHARDINE_DATASET_FIELDS_WITHOUT_EXTENTS_H_
