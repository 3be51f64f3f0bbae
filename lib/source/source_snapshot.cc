#include "source/source_snapshot.h"

#include <string>

#include "io/many_files.h"

namespace shardine {

Result<std::unique_ptr<ReadableStorage>> SnapshotOf(
    ReadableStorage& storage,
    const std::vector<SourceOptions::Folder>& folders) {
  ManyFiles* const files = storage.many_files();
  if (files == nullptr) return std::unique_ptr<ReadableStorage>();
  std::vector<std::string> paths;
  for (const SourceOptions::Folder& folder : folders) {
    paths.push_back(folder.path);
  }
  return files->Snapshot(paths);
}

}  // namespace shardine
