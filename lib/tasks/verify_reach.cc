#include "tasks/verify_reach.h"

#include <utility>

#include "base/status_macros.h"
#include "io/path_scheme.h"
#include "io/storage_for.h"
#include "source/source_storage.h"
#include "tasks/machine_error.h"
#include "verify/verify_tree.h"

namespace shardine {

Status CheckTree(const VerifyOptions& options, const Job& job) {
  if (options.against.empty()) return Status();
  std::vector<SourceOptions::Folder> folders = NamedFolders(options.against);
  if (folders.empty()) folders = {{"", options.against}};
  for (const SourceOptions::Folder& folder : folders) {
    if (!SchemeOf(folder.path).empty()) continue;
    SHARDINE_ASSIGN_OR_RETURN(ReadableStorage* const below,
                              StorageFor(job, folder.path));
    SHARDINE_ASSIGN_OR_RETURN(const auto storage,
                              OpenSources(*below, {folder.path}, {}));
    SHARDINE_RETURN_IF_ERROR(storage->Stat(folder.path).status());
  }
  return Status();
}

Result<std::unique_ptr<DatasetShards>> OpenMember(const VerifyFolder& folder,
                                                  std::size_t member,
                                                  const VerifyOptions& options,
                                                  const Job& job) {
  SHARDINE_ASSIGN_OR_RETURN(
      auto shards,
      DatasetShards::Open(folder.storage(),
                          *folder.family().members()[member].reader,
                          job.formats, options));
  if (IsMachineError(shards->kept_failure())) return shards->kept_failure();
  return shards;
}

}  // namespace shardine
