// FieldCounts: of how many samples each field is. A file may have another name
// in each record, so the names that are kept are bounded.
#ifndef SHARDINE_DATASET_FIELD_COUNTS_H_
#define SHARDINE_DATASET_FIELD_COUNTS_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>

namespace shardine {

// Thread-compatible.
class FieldCounts {
 public:
  using Counts = std::map<std::string, std::uint64_t, std::less<>>;

  explicit FieldCounts(std::size_t most_names) : most_names_(most_names) {}

  // A sample has the field.
  void Add(const std::string& name) {
    const auto known = counts_.find(name);
    if (known != counts_.end()) {
      ++known->second;
    } else if (counts_.size() < most_names_) {
      counts_.emplace(name, 1);
    } else {
      ++others_;
    }
  }

  const Counts& counts() const { return counts_; }
  // Of fields beyond the first so many names, all together.
  std::uint64_t others() const { return others_; }

 private:
  std::size_t most_names_;
  Counts counts_;
  std::uint64_t others_ = 0;
};

}  // namespace shardine

#endif  // SHARDINE_DATASET_FIELD_COUNTS_H_
