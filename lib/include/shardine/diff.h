// Diff: the differences between two datasets, whatever their formats.
#ifndef SHARDINE_DIFF_H_
#define SHARDINE_DIFF_H_

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "shardine/job.h"
#include "shardine/sample.h"
#include "shardine/status.h"

namespace shardine {

enum class DifferenceKind : std::uint8_t {
  kAdded,       // only in the second
  kRemoved,     // only in the first
  kChanged,     // same key, other payload
  kRelabelled,  // same key and payload, other labels
  kRenamed,     // same payload and labels under another key or in another split
};

// A sample of the first dataset, except for added ones. Views are valid during
// the call only.
struct Difference {
  DifferenceKind kind = DifferenceKind::kAdded;
  std::string_view split;
  std::string_view key;
  std::span<const Label> labels;
  std::string_view other_split;  // renamed: in the second
  std::string_view other_key;
  std::span<const Label> other_labels;  // relabelled: in the second
};

struct DiffResult {
  std::uint64_t same = 0;
  std::uint64_t added = 0;
  std::uint64_t removed = 0;
  std::uint64_t changed = 0;
  std::uint64_t relabelled = 0;
  std::uint64_t renamed = 0;
  // Differences that are not between samples: "the order differs", "ids
  // differ", "class names differ".
  std::vector<std::string> notes;

  bool equal() const {
    return added + removed + changed + relabelled + renamed == 0;
  }
};

// Compares two dataset folders by their sidecar indexes (which verify compares
// with the shards), sample by sample. Calls `visit` for each difference, by
// split and key, the renamed last; stops at the first failure, its own or one
// that `visit` returns.
Result<DiffResult> Diff(const std::string& first, const std::string& second,
                        const std::function<Status(const Difference&)>& visit,
                        const Job& job = {});

}  // namespace shardine

#endif  // SHARDINE_DIFF_H_
