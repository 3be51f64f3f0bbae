// The differences between a plan and the plan by which an output was made: the
// message of exit 7.
#ifndef SHARDINE_PACK_PLAN_DIFFERENCE_H_
#define SHARDINE_PACK_PLAN_DIFFERENCE_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "shardine/provenance.h"
#include "shardine/sample.h"
#include "source/source_set.h"

namespace shardine {

// "shard-size 256M, now 128M; no-shuffle now given", escaped; empty if the two
// are equal. Sources differ where they are written differently.
std::string DescribeDifference(const Provenance& before, const Provenance& now);

// A sample of before. `bytes` as the plan counts them.
struct SampleBefore {
  std::string_view split;
  std::string_view key;
  std::uint64_t id = 0;
  std::span<const Label> labels;
  std::uint64_t bytes = 0;
};

// Compares the samples of before, one by one, with those of now. Thread-
// compatible; the source must outlive it.
class SampleDifference {
 public:
  // `sizes`: whether those of before can be compared.
  SampleDifference(const SourceSet& now, bool sizes);

  void Add(const SampleBefore& before);
  // One that was left out as bad and may be there still.
  void AddRejected(std::string_view split, std::string_view key);
  // Called last. "2 samples added (a/1.jpg, a/2.jpg), 1 of another size
  // (b/3.jpg: 120 bytes, now 121)", the first few of each, escaped; empty if
  // there is none.
  std::string Finish();

 private:
  struct Kind {
    const char* what;
    std::uint64_t count = 0;
    std::vector<std::string> names = {};
  };

  std::size_t Find(std::string_view split, std::string_view key) const;
  std::string Name(std::string_view split, std::string_view key) const;
  static void Note(Kind& kind, std::string name);
  void Compare(const SampleBefore& before, std::size_t i);

  const SourceSet& now_;
  const bool sizes_;
  std::vector<std::pair<std::uint64_t, std::uint32_t>> by_hash_;
  std::vector<bool> known_;  // by index: was there before
  Kind added_{"added"};
  Kind removed_{"removed"};
  Kind resized_{"of another size"};
  Kind relabelled_{"with other labels"};
  Kind renumbered_{"with other ids"};
};

}  // namespace shardine

#endif  // SHARDINE_PACK_PLAN_DIFFERENCE_H_
