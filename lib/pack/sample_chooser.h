// SampleChooser: which samples of a dataset are converted, and with which
// labels.
#ifndef SHARDINE_PACK_SAMPLE_CHOOSER_H_
#define SHARDINE_PACK_SAMPLE_CHOOSER_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "dataset/manifest.h"
#include "pack/convert_plan.h"
#include "pack/label_change.h"
#include "pack/where_expression.h"
#include "shard/shard_index.h"
#include "shardine/convert.h"
#include "shardine/job.h"
#include "shardine/rejects.h"
#include "shardine/status.h"

namespace shardine {

// Thread-compatible. The options and the manifest must outlive it.
class SampleChooser {
 public:
  // Reads the label map. kInvalidArgument: a split that is not there, a
  // condition that does not parse. Others as LabelChange::Read().
  static Result<SampleChooser> Make(const ConvertOptions& options,
                                    const Manifest& manifest, const Job& job);

  // Whether anything was asked for; else all samples are as they are.
  bool chooses() const;

  // Called for each sample in order. False: it is left out. Else its labels are
  // the new ones. Failures as LabelChange::Change(), with the key.
  Result<bool> Take(ConvertedSample& sample, const IndexEntry& entry);

  // The classes of the output.
  const ClassMap& classes() const;
  // Samples that were left out, by the first that they failed: "other-split",
  // "not-where", "left-out-label", "beyond-limit".
  std::vector<RejectedCount> left() const;
  // The options that decide the samples: a part of the plan. Labels are in the
  // plan themselves.
  std::string Describe() const;

 private:
  SampleChooser(const ConvertOptions& options, const Manifest& manifest)
      : options_(&options), manifest_(&manifest) {}
  bool Meets(const ConvertedSample& sample, const IndexEntry& entry) const;

  const ConvertOptions* options_;
  const Manifest* manifest_;
  std::optional<WhereExpression> where_;
  std::optional<LabelChange> labels_;
  std::map<std::string, std::uint64_t> taken_;  // by split
  std::uint64_t other_split_ = 0;
  std::uint64_t not_where_ = 0;
  std::uint64_t label_left_ = 0;
  std::uint64_t beyond_ = 0;
};

}  // namespace shardine

#endif  // SHARDINE_PACK_SAMPLE_CHOOSER_H_
