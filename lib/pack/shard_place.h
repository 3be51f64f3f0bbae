// Where a written shard goes: its file gets its name, in a folder of its own
// where shards are folders (shard/shard_file.h), and both go when it goes.
#ifndef SHARDINE_PACK_SHARD_PLACE_H_
#define SHARDINE_PACK_SHARD_PLACE_H_

#include <string>

#include "io/output_folder.h"
#include "shard/format_registry.h"
#include "shardine/status.h"

namespace shardine {

// Renames the finished, synced file `from` to the file of the shard `name` in
// `folder`, which the caller syncs. kUnsupported: a link has the place of the
// shard's own folder; kAlreadyExists: something has the shard's name.
Status PlaceShard(const OutputFolder& folder, const FormatAndLayout& format,
                  const std::string& from, const std::string& name);

// Removes the shard's file for good, and its folder unless others' files are in
// it, such as a lock that a reader left. Fine if it is absent.
Status RemoveShard(const OutputFolder& folder, const FormatAndLayout& format,
                   const std::string& name);

}  // namespace shardine

#endif  // SHARDINE_PACK_SHARD_PLACE_H_
