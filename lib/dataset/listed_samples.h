// ListedSamples: keys and ids by which a list finds samples of a dataset. In
// indexed shards the keys may be made up, and the ids may be the order of a
// scan.
#ifndef SHARDINE_DATASET_LISTED_SAMPLES_H_
#define SHARDINE_DATASET_LISTED_SAMPLES_H_

#include <cstdint>
#include <string_view>

#include "dataset/manifest.h"
#include "shard/format_registry.h"
#include "source/label_matcher.h"

namespace shardine {

struct ListedSamples {
  bool makes_keys_up = false;  // of ids, where records have no keys
  bool has_ids = true;

  static ListedSamples Of(const Manifest& manifest,
                          const FormatRegistry& formats);

  // The key is viewed.
  NamedSample operator()(std::string_view key, std::uint64_t id,
                         std::uint64_t position) const;
};

}  // namespace shardine

#endif  // SHARDINE_DATASET_LISTED_SAMPLES_H_
