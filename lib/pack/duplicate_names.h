// Finds duplicate keys and ids across finished shards, in their sidecars, in
// bounded memory however many there are.
#ifndef SHARDINE_PACK_DUPLICATE_NAMES_H_
#define SHARDINE_PACK_DUPLICATE_NAMES_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "io/storage.h"
#include "shardine/status.h"

namespace shardine {

struct NamedShard {
  std::string split;
  std::string path;
  std::uint64_t samples = 0;
};

// Samples that are looked at together, in 24 bytes each: the sidecars are read
// once for so many.
inline constexpr std::size_t kNamesAtOnce = std::size_t{1} << 21;

// kInvalidArgument naming a key that two samples of a split have, and both.
// `shards` are in order within each split.
Status CheckKeysUnique(ReadableStorage& storage,
                       std::span<const NamedShard> shards,
                       std::size_t at_once = kNamesAtOnce);
// The same of ids, over all splits.
Status CheckIdsUnique(ReadableStorage& storage,
                      std::span<const NamedShard> shards,
                      std::size_t at_once = kNamesAtOnce);

}  // namespace shardine

#endif  // SHARDINE_PACK_DUPLICATE_NAMES_H_
