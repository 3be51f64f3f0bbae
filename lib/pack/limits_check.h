// LimitsCheck: whether a layout holds samples, found before a byte moves.
// Refuses samples that it cannot hold and labels that would change; counts
// values that only the sidecar index will keep.
#ifndef SHARDINE_PACK_LIMITS_CHECK_H_
#define SHARDINE_PACK_LIMITS_CHECK_H_

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "shard/format_registry.h"
#include "shard/shard_index.h"
#include "shardine/sample.h"
#include "shardine/status.h"
#include "source/source_set.h"

namespace shardine {

// Thread-compatible. The constructor's arguments must outlive it.
class LimitsCheck {
 public:
  // `lossy_labels`: labels that would change are counted, not refused.
  LimitsCheck(const FormatAndLayout& format, const FormatRegistry& formats,
              bool lossy_labels = false)
      : format_(format), formats_(formats), lossy_labels_(lossy_labels) {}

  // kInvalidArgument naming the key, a label before and after, and the layouts
  // that keep it: a record would hold another integer, an integer for a
  // fraction, a clipped value, or the first of several labels. Only counted: a
  // fraction rounded to a float, and labels of layouts that hold none.
  Status CheckLabels(std::string_view key, std::span<const Label> labels);

  // kUnsupported naming the key, and the layouts that would do.
  Status CheckKey(std::string_view key) const;
  Status CheckPayload(std::string_view key, std::uint64_t bytes) const;
  Status CheckFields(std::string_view key,
                     std::span<const IndexField> fields) const;
  // Where keys are unique in a record file, that they are in each split.
  Status CheckUnique(const SourceSet& source) const;

  // A sentence about each thing that checked samples lose in their records.
  std::vector<std::string> LabelLosses() const;
  std::vector<std::string> NameLosses() const;
  // The losses of both; and as warnings, which say how to keep them.
  std::vector<std::string> Losses() const;
  std::vector<std::string> LossWarnings() const;

 private:
  // Labels that records hold as other values, and one of them: "0.1 to 0".
  struct Changes {
    std::uint64_t count = 0;
    std::string first = {};
  };

  Status Refuse(std::string_view key, std::string why) const;
  Status RefuseLabels(std::string_view key, std::span<const Label> labels,
                      std::string why) const;
  std::string LayoutsThat(const std::function<bool(const Limits&)>& hold,
                          const char* verb = "do") const;

  const FormatAndLayout& format_;
  const FormatRegistry& formats_;
  bool lossy_labels_;
  Changes rounded_;  // fractions, to the nearest float
  Changes changed_;
  std::uint64_t cut_ = 0;
};

}  // namespace shardine

#endif  // SHARDINE_PACK_LIMITS_CHECK_H_
