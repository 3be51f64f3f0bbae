// `verify --against SOURCE`: where the images of a dataset are in a tree, or in
// several by split, and which images there are not in the dataset.
#ifndef SHARDINE_VERIFY_VERIFY_TREE_H_
#define SHARDINE_VERIFY_VERIFY_TREE_H_

#include <string>

#include "dataset/dataset_reader.h"
#include "io/readable_storage.h"
#include "shardine/status.h"

namespace shardine {

// Where the file is that sample came from, or would be. `against` is a folder,
// or "train=DIR,val=DIR" as pack was given them. A folder may have the splits
// as folders of their own, where there are several, as `extract` writes them.
std::string PathInTree(ReadableStorage& storage, const Manifest& manifest,
                       const std::string& against, const std::string& split,
                       const std::string& key);

// A line that counts the images of `against` whose key no sample has, the first
// of them by name; empty if there is none. Rejected images are not counted.
Result<std::string> NoteMissingImages(ReadableStorage& storage,
                                      const DatasetReader& dataset,
                                      const std::string& against);

}  // namespace shardine

#endif  // SHARDINE_VERIFY_VERIFY_TREE_H_
