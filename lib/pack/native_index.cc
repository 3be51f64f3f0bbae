#include "shardine/native_index.h"

#include <memory>
#include <utility>

#include "base/status_macros.h"
#include "dataset/dataset_reader.h"
#include "dataset/manifest.h"
#include "io/atomic_file.h"
#include "io/storage_for.h"
#include "shard/companion_folder.h"
#include "shard/format_registry.h"

namespace shardine {
namespace {

// The manifest has the digest of a dataset's index: an index written again with
// other keys would be damage.
Status CheckNotListed(Storage& storage, const std::string& file,
                      const std::string& path) {
  const std::string folder = DirectoryOf(file);
  const auto dataset = DatasetReader::Open(storage, folder);
  if (!dataset.ok()) {
    const bool none = dataset.status().code() == Code::kNotFound;
    return none ? Status() : dataset.status();
  }
  for (const DatasetReader::ShardRef& ref : (*dataset)->shards()) {
    for (const ManifestFile& listed : ref.shard->companions) {
      if (JoinPath(folder, listed.path) != path) continue;
      return Status(Code::kInvalidArgument,
                    "is an index of the dataset in this folder, whose manifest "
                    "has its digest")
          .At({.path = path});
    }
  }
  return {};
}

Status CheckReplaceable(const std::string& path, bool replace) {
  if (replace) return {};
  return Status(Code::kAlreadyExists,
                "is another index than the one of this file")
      .At({.path = path});
}

Result<NativeIndex> WriteOne(Storage& storage, const FormatRegistry& formats,
                             const std::string& file, bool replace) {
  SHARDINE_ASSIGN_OR_RETURN(const auto opened, storage.Open(file));
  SHARDINE_ASSIGN_OR_RETURN(const FormatAndLayout format,
                            formats.DetectLayout(*opened));
  const auto index_of = format.format->native_index_of;
  if (index_of == nullptr) {
    return Status(Code::kUnsupported,
                  format.Name() + " has no index that its programs read")
        .At({.path = file});
  }
  NativeIndex index{.file = file, .path = format.CompanionName(file)};
  SHARDINE_ASSIGN_OR_RETURN(const std::string text, index_of(*opened));
  index.bytes = text.size();
  const auto there = ReadFile(storage, index.path, text.size());
  if (there.ok() && *there == text) return index;
  const bool absent = there.status().code() == Code::kNotFound;
  SHARDINE_RETURN_IF_ERROR(CheckNotListed(storage, file, index.path));
  if (!absent) {
    SHARDINE_RETURN_IF_ERROR(CheckReplaceable(index.path, replace));
  }
  SHARDINE_RETURN_IF_ERROR(storage.CreateDirectories(DirectoryOf(index.path)));
  SHARDINE_RETURN_IF_ERROR(
      WriteFileAtomically(storage, index.path, AsBytes(text)));
  index.written = true;
  return index;
}

}  // namespace

Result<std::vector<NativeIndex>> WriteNativeIndexes(
    const NativeIndexOptions& options, const Job& job) {
  std::vector<NativeIndex> indexes;
  for (const std::string& file : options.files) {
    if (job.stop.stop_requested()) {
      return Status(Code::kCancelled, "interrupted");
    }
    SHARDINE_ASSIGN_OR_RETURN(Storage* const storage,
                              OutputStorageFor(job, file));
    SHARDINE_ASSIGN_OR_RETURN(
        NativeIndex index,
        WriteOne(*storage, job.formats, file, options.replace));
    indexes.push_back(std::move(index));
  }
  return indexes;
}

}  // namespace shardine
