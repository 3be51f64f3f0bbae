// The files that a manifest lists, and whether they exist: the check before a
// dataset is reported complete.
#ifndef SHARDINE_DATASET_LISTED_FILES_H_
#define SHARDINE_DATASET_LISTED_FILES_H_

#include <string>
#include <string_view>
#include <vector>

#include "dataset/manifest.h"
#include "io/readable_storage.h"
#include "shardine/status.h"

namespace shardine {

// All files of a manifest: shards, their companions, and those of no shard.
std::vector<const ManifestFile*> ListedFiles(const Manifest& manifest);

// The files of `manifest`, paths as it has them, that are lost: absent, or
// empty though they had bytes. Each file is looked at (name, kind and size),
// and none is read. kChanged, naming the file: one is of another kind or size.
Result<std::vector<std::string>> FindLostFiles(ReadableStorage& storage,
                                               const std::string& directory,
                                               const Manifest& manifest);

// The same where all lost files belong to shards, but for one at the path
// `also`. kChanged, naming the file: another one belongs to none.
Result<std::vector<std::string>> FindLostShards(ReadableStorage& storage,
                                                const std::string& directory,
                                                const Manifest& manifest,
                                                std::string_view also = {});

// kChanged, naming the first that is lost.
Status CheckListedFiles(ReadableStorage& storage, const std::string& directory,
                        const Manifest& manifest);

// kChanged of a lost file.
Status LostFile(const std::string& path);

}  // namespace shardine

#endif  // SHARDINE_DATASET_LISTED_FILES_H_
