// The other direction of `verify --against TREE`: which images of the tree are
// not in the dataset.
#ifndef SHARDINE_PACK_VERIFY_TREE_H_
#define SHARDINE_PACK_VERIFY_TREE_H_

#include <string>

#include "dataset/dataset.h"
#include "io/storage.h"
#include "shardine/status.h"

namespace shardine {

// A line that counts the images of `tree` whose key no sample has, the first of
// them by name; empty if there is none. Rejected images are not counted.
Result<std::string> NoteMissingImages(Storage& storage,
                                      const DatasetReader& dataset,
                                      const std::string& tree);

}  // namespace shardine

#endif  // SHARDINE_PACK_VERIFY_TREE_H_
