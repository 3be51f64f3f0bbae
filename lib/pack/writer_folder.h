// Checks of the folder of a DatasetWriter, before it writes.
#ifndef SHARDINE_PACK_WRITER_FOLDER_H_
#define SHARDINE_PACK_WRITER_FOLDER_H_

#include <string>
#include <vector>

#include "io/output_folder.h"
#include "shardine/status.h"

namespace shardine {

// kAlreadyExists where the folder holds anything but the files of runs, since
// foreign files are never mixed with ours. With `may_have_shards` other files
// may be those of an interrupted run; entries of the names `expected` may be
// there. A dataset is refused in any case.
Status CheckFolder(const OutputFolder& folder, bool may_have_shards,
                   const std::vector<std::string>& expected);

// A writer that was killed after its manifest leaves its work folder beside a
// whole dataset: removes it. Another command clears away its own work folder.
Status ClearFinished(const OutputFolder& output);

}  // namespace shardine

#endif  // SHARDINE_PACK_WRITER_FOLDER_H_
