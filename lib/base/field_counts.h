// FieldCounts: the number of samples that have each field. A file may have
// another name in each record, so only the first so many names in byte order
// are kept. Their counts do not depend on the order in which samples come.
#ifndef SHARDINE_BASE_FIELD_COUNTS_H_
#define SHARDINE_BASE_FIELD_COUNTS_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <map>
#include <string>
#include <string_view>

namespace shardine {

// Thread-compatible.
class FieldCounts {
 public:
  using Counts = std::map<std::string, std::uint64_t, std::less<>>;

  explicit FieldCounts(std::size_t most_names) : most_names_(most_names) {}

  // So many samples have the field.
  void Add(std::string_view name, std::uint64_t samples = 1) {
    const auto known = counts_.find(name);
    if (known != counts_.end()) {
      known->second += samples;
      return;
    }
    counts_.emplace(name, samples);
    if (counts_.size() <= most_names_) return;
    // A name that is given up never comes back: so many are before it for good.
    const auto last = std::prev(counts_.end());
    others_ += last->second;
    counts_.erase(last);
  }
  void Add(const FieldCounts& more) {
    for (const auto& [name, samples] : more.counts_) Add(name, samples);
    others_ += more.others_;
  }

  const Counts& counts() const { return counts_; }
  // Count of all fields beyond the first so many names.
  std::uint64_t others() const { return others_; }

  friend bool operator==(const FieldCounts&, const FieldCounts&) = default;

 private:
  std::size_t most_names_;
  Counts counts_;
  std::uint64_t others_ = 0;
};

}  // namespace shardine

#endif  // SHARDINE_BASE_FIELD_COUNTS_H_
