// SkippedRecords: which records of a shard a scan passed over, since they
// cannot be read, so that records of its index find themselves in the file.
#ifndef SHARDINE_DATASET_SKIPPED_RECORDS_H_
#define SHARDINE_DATASET_SKIPPED_RECORDS_H_

#include <algorithm>
#include <cstdint>
#include <vector>

namespace shardine {

// Thread-compatible.
class SkippedRecords {
 public:
  // The number of the next one in the file. REQUIRES: they ascend.
  void Add(std::uint64_t record) { firsts_.push_back(record - firsts_.size()); }
  bool empty() const { return firsts_.empty(); }

  // The number in the file of record number `record` of the others.
  std::uint64_t InFile(std::uint64_t record) const {
    const auto after = std::ranges::upper_bound(firsts_, record);
    return record + static_cast<std::uint64_t>(after - firsts_.begin());
  }

 private:
  // For each, the number of others before it: the first that comes after it.
  std::vector<std::uint64_t> firsts_;
};

}  // namespace shardine

#endif  // SHARDINE_DATASET_SKIPPED_RECORDS_H_
