// The facts that tie a companion (.sdx, .sde) to its shard, and to the pack
// that made it.
#ifndef SHARDINE_SHARD_INDEX_BINDING_H_
#define SHARDINE_SHARD_INDEX_BINDING_H_

#include <cstdint>

#include "shardine/digest.h"

namespace shardine {

struct IndexBinding {
  std::uint64_t shard_bytes = 0;
  Digest128 shard_digest;  // XXH3-128 of the shard file
  Digest128 plan_digest;   // zero when indexed in place

  friend bool operator==(const IndexBinding&, const IndexBinding&) = default;
};

}  // namespace shardine

#endif  // SHARDINE_SHARD_INDEX_BINDING_H_
