// LimitsCheck: whether a layout holds samples, found before a byte moves.
// Refuses what it cannot hold; counts what only the sidecar index will keep.
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

// Thread-compatible. What it is made of must outlive it.
class LimitsCheck {
 public:
  LimitsCheck(const FormatAndLayout& format, const FormatRegistry& formats)
      : format_(format), formats_(formats) {}

  // Nothing that a record cannot hold of labels is refused: the sidecar has it.
  void CountLabels(std::span<const Label> labels);

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
  // Of both; and the same as warnings, which say what keeps them.
  std::vector<std::string> Losses() const;
  std::vector<std::string> LossWarnings() const;

 private:
  Status Refuse(std::string_view key, std::string why) const;
  std::string LayoutsThat(const std::function<bool(const Limits&)>& hold) const;

  const FormatAndLayout& format_;
  const FormatRegistry& formats_;
  std::uint64_t rounded_ = 0;
  std::uint64_t cut_ = 0;
};

}  // namespace shardine

#endif  // SHARDINE_PACK_LIMITS_CHECK_H_
