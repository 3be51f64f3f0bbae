// SampleGroups: samples by their class, or by the part of a dataset that they
// lie in.
#ifndef SHARDINE_LOAD_SAMPLE_GROUPS_H_
#define SHARDINE_LOAD_SAMPLE_GROUPS_H_

#include <cstdint>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "base/checksum.h"
#include "dataset/sample_source.h"
#include "load/sample_choice.h"
#include "shardine/status.h"

namespace shardine {

// "class 3 (n01440764)", as the dataset names it.
std::string NameOfClass(std::int64_t label, const SampleSource& source);

// Immutable, so thread-safe. Parts take 8 bytes each, classes 16 and 8 for each
// of their samples.
class SampleGroups {
 public:
  // By ascending labels; samples of a class as they stand in the choice. Reads
  // the index entries of all. kInvalidArgument: a sample has no label, several
  // or one that is no integer.
  static Result<SampleGroups> ByClass(const SampleSource& source,
                                      const SampleChoice& choice,
                                      const std::stop_token& stop);
  // Groups samples by labels in memory.
  static SampleGroups Of(std::span<const std::int64_t> labels);
  // Neighbours, so many each.
  static SampleGroups Parts(std::span<const std::uint64_t> sizes);

  std::uint64_t count() const { return firsts_.size() - 1; }
  std::uint64_t samples() const { return firsts_.back(); }
  std::uint64_t size(std::uint64_t group) const {
    return firsts_[group + 1] - firsts_[group];
  }
  // The sample's number in the choice. REQUIRES: index < size(group).
  std::uint64_t operator()(std::uint64_t group, std::uint64_t index) const {
    const std::uint64_t at = firsts_[group] + index;
    return members_.empty() ? at : members_[at];
  }
  // By group; empty of parts.
  const std::vector<std::int64_t>& labels() const { return labels_; }
  // "class 3 (n01440764)", as the dataset names it, or "part 3".
  std::string NameOf(std::uint64_t group, const SampleSource& source) const;
  void AddTo(Xxh3Stream& stream) const;

 private:
  SampleGroups() = default;

  std::vector<std::int64_t> labels_;
  std::vector<std::uint64_t> members_;  // by group; empty: as they are numbered
  std::vector<std::uint64_t> firsts_;   // of each group, then the end
};

}  // namespace shardine

#endif  // SHARDINE_LOAD_SAMPLE_GROUPS_H_
