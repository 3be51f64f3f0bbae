// The proof that files under a shard's names are that shard, before a removal.
#ifndef SHARDINE_PACK_OWN_SHARD_H_
#define SHARDINE_PACK_OWN_SHARD_H_

#include <span>
#include <string>

#include "io/output_folder.h"
#include "shard/format_registry.h"
#include "shardine/digest.h"
#include "shardine/status.h"

namespace shardine {

// Everything under the names of `shard` in `folder`, those of older versions
// too, is the shard of a sidecar with one of these plan digests, or goes with
// it: the sidecar, the shard by size and digest, its entry points by their
// binding, and its companion by the records that it lists. Fine if nothing is
// there. Reads all of the shard.
//
// kAlreadyExists, naming the file: it is not. It proves as much as checksums
// can: a foreign file does not pass by accident, but a file made up to look
// like a shard of this very plan does.
Status CheckOwnShard(const OutputFolder& folder, const FormatAndLayout& format,
                     const std::string& shard,
                     std::span<const Digest128> plan_digests);

}  // namespace shardine

#endif  // SHARDINE_PACK_OWN_SHARD_H_
