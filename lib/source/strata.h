// Strata: the samples of a source by class, and the shares into which splits
// cut them.
#ifndef SHARDINE_SOURCE_STRATA_H_
#define SHARDINE_SOURCE_STRATA_H_

#include <cstdint>
#include <string>
#include <vector>

#include "shardine/source.h"
#include "shardine/status.h"
#include "source/source_set.h"

namespace shardine {

// Parts of one in which shares count: 0.29 of 100 is 29, and not
// 28.999999999999996.
inline constexpr std::uint64_t kWholeShare = 1'000'000'000;
// The shares in such parts; the rest of the rounding is the first one's.
std::vector<std::uint64_t> PartsOf(
    const std::vector<SourceOptions::SplitShare>& shares);

// Gives `set` the splits of `shares`, all samples in the first.
// kInvalidArgument if it has several.
Status MakeSplits(const std::vector<SourceOptions::SplitShare>& shares,
                  SourceSet& set);
// kInvalidArgument: a split has no sample.
Status CheckFilled(const SourceSet& set);

// Split "train", or the first if there is none.
std::uint32_t TrainOf(const std::vector<SourceOptions::SplitShare>& shares);

struct Strata {
  std::vector<std::int64_t> labels;  // ascending
  std::vector<std::uint64_t> sizes;  // samples of each
  std::vector<std::uint32_t> of;     // the number of each sample's
};

// kInvalidArgument (with the key): a sample without one whole number as label.
Result<Strata> StrataOf(const SourceList& samples);

// The failure of a sample with another label. `option`: "holding out".
Status NeedsOneLabel(const SourceList& samples, std::size_t index,
                     const char* option);

std::string ClassName(const ClassMap& classes, std::int64_t label);

// Classes that are too small for a split, as they are found.
class SmallClassList {
 public:
  // `extent`: "2 samples".
  void Add(const std::string& class_name, const std::string& split,
           const std::string& extent);
  // kInvalidArgument: there are some.
  Status Refuse() const;

 private:
  std::uint64_t found_ = 0;
  std::string first_;
};

}  // namespace shardine

#endif  // SHARDINE_SOURCE_STRATA_H_
