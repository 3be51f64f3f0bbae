// NowhereFields: which fields of a scanned shard are not in the file as such,
// and of how many samples: these can be converted, not streamed.
#ifndef SHARDINE_DATASET_NOWHERE_FIELDS_H_
#define SHARDINE_DATASET_NOWHERE_FIELDS_H_

#include <cstdint>
#include <map>
#include <string>

#include "shard/shard_index.h"

namespace shardine {

// Thread-compatible.
class NowhereFields {
 public:
  void Add(const IndexEntry& entry);
  bool empty() const { return samples_.empty(); }
  // A sentence for people, which names the fields. REQUIRES: !empty().
  std::string Warning(const std::string& path) const;

 private:
  // A file may have another name in each record.
  static constexpr std::size_t kMostNames = 8;

  std::map<std::string, std::uint64_t> samples_;  // by field
  bool more_ = false;                             // fields than those
};

}  // namespace shardine

#endif  // SHARDINE_DATASET_NOWHERE_FIELDS_H_
