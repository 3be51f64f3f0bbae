// Names of Hugging Face's programs for the parts of a dataset.
#ifndef SHARDINE_REPORT_HUB_NAMES_H_
#define SHARDINE_REPORT_HUB_NAMES_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "dataset/manifest.h"
#include "source/class_map.h"

namespace shardine {

// Names of splits as the hub takes them: letters, digits and `_`; no two are
// the same.
std::vector<std::string> HubSplitNames(
    const std::vector<ManifestSplit>& splits);

// Names of the labels 0, 1, 2, ..., each once: of a label without a class, and
// of a second class of a name, the number is in it. Empty: labels are too few
// or too far apart for a list.
std::vector<std::string> HubClassNames(const ClassMap& classes);

// "1K<n<10K".
std::string_view SizeCategory(std::uint64_t samples);

// Patterns that the shards of a split fit, and no other of `others`.
std::vector<std::string> ShardPatterns(const ManifestSplit& split,
                                       const std::vector<std::string>& others);

}  // namespace shardine

#endif  // SHARDINE_REPORT_HUB_NAMES_H_
