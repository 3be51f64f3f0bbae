// Where an output may lie.
#ifndef SHARDINE_SOURCE_OUTPUT_PLACE_H_
#define SHARDINE_SOURCE_OUTPUT_PLACE_H_

#include <string>

#include "io/output_folder.h"
#include "io/readable_storage.h"
#include "shardine/source.h"
#include "shardine/status.h"

namespace shardine {

// kInvalidArgument if the output, which need not be there yet, is one of the
// folder trees of the source, which `storage` reads, or lies in one, whatever
// links lead there: it would be a class of the next pack, and shift the labels
// of all after it. Folders that a list's paths start from are not trees.
Status RefuseOutputInSource(ReadableStorage& storage,
                            const SourceOptions& source,
                            const OutputFolder& output);

// kInvalidArgument if `folder`, which holds the plan file, lies in the source:
// the plan would change its own source.
Status RefusePlanInSource(ReadableStorage& storage, const SourceOptions& source,
                          const OutputFolder& folder, const std::string& plan);

// True for a folder that a run of shardine made or is making something in,
// which is no folder of images, much less a class: it holds a manifest, or
// files that runs keep there.
Result<bool> IsOutput(ReadableStorage& storage, const std::string& folder);
// The same for the name of one of its entries.
bool NamesOutput(const std::string& name);

}  // namespace shardine

#endif  // SHARDINE_SOURCE_OUTPUT_PLACE_H_
