// The state in which an earlier index left an output.
#ifndef SHARDINE_PACK_INDEX_STATE_H_
#define SHARDINE_PACK_INDEX_STATE_H_

#include <optional>
#include <string>
#include <vector>

#include "io/output_folder.h"
#include "shardine/index.h"
#include "shardine/status.h"

namespace shardine {

// The result where the output holds the dataset of these very files already,
// whose paths from the output folder are `files`: nothing to do but to clear
// away files that a kill may have left after the manifest. nullopt: there is no
// dataset yet.
//
// kChanged: it is one of other files or options, or a file has another size by
// now.
Result<std::optional<PackResult>> FindIndexed(
    const OutputFolder& output, const IndexOptions& options,
    const std::vector<std::string>& files);

}  // namespace shardine

#endif  // SHARDINE_PACK_INDEX_STATE_H_
