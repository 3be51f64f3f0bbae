// OUT/.pack/new: shards that are whole and have no final names yet, and the
// step that gives them their names. Every file in it may be removed.
#ifndef SHARDINE_PACK_STAGING_H_
#define SHARDINE_PACK_STAGING_H_

#include <string>
#include <vector>

#include "io/output_folder.h"
#include "shard/format_registry.h"
#include "shardine/status.h"

namespace shardine {

// A shard and its final name.
struct StagedName {
  std::string staged;
  std::string final;
};

// The shards in the staging folder, with all that lies beside them, get their
// names in OUT: a note of each (pack/shard_notes.h) is on the disk before, so
// that a run after a kill knows them. kAlreadyExists, and nothing moved: a file
// has one of the names. After a failure the next call goes on.
Status MoveStaged(const OutputFolder& output, const FormatAndLayout& format,
                  const std::vector<StagedName>& names);

// Removes the staging folder, and the shards in OUT that were noted. A file
// that has a noted name and was not moved there, by its size and the time of
// its last change, stays; returns the paths of such files.
Result<std::vector<std::string>> RemoveStaged(const OutputFolder& output,
                                              const FormatAndLayout& format);

}  // namespace shardine

#endif  // SHARDINE_PACK_STAGING_H_
