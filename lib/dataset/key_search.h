// Samples by their keys.
#ifndef SHARDINE_DATASET_KEY_SEARCH_H_
#define SHARDINE_DATASET_KEY_SEARCH_H_

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dataset/dataset_reader.h"
#include "dataset/located_samples.h"
#include "shardine/status.h"

namespace shardine {

// kInvalidArgument: the dataset has no such split.
Status CheckSplit(const DatasetReader& dataset, std::string_view split);

// Looks through the keys of all sidecars, or of one split's; the samples in the
// order of the keys. `escaped`: a key that no sample has is looked for without
// its escapes, too. kNotFound: no sample has such a key; kInvalidArgument,
// naming the splits: no split is given and several have it; naming the ids: a
// split has it twice; or there is no such split.
Result<std::vector<LocatedSample>> FindKeys(const DatasetReader& dataset,
                                            std::span<const std::string> keys,
                                            std::string_view split,
                                            bool escaped);

}  // namespace shardine

#endif  // SHARDINE_DATASET_KEY_SEARCH_H_
