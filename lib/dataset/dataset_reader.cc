#include "dataset/dataset_reader.h"

#include <algorithm>
#include <utility>

#include "base/status_macros.h"
#include "cache/cached_shard.h"
#include "dataset/dataset_folder.h"
#include "dataset/key_search.h"
#include "dataset/unfinished.h"
#include "io/path_scheme.h"
#include "pipeline/in_order.h"
#include "shard/shard_index.h"
#include "shardine/escape.h"
#include "source/server_threads.h"

namespace shardine {
namespace {

Status Stale(const std::string& path, const std::string& why) {
  return Status(Code::kCorrupt, "stale sidecar: " + why).At({.path = path});
}

// nullptr if there is none.
const ManifestFile* CompanionOf(const ManifestShard& shard,
                                std::string_view suffix) {
  const auto found = std::ranges::find_if(
      shard.companions,
      [&](const ManifestFile& file) { return file.path.ends_with(suffix); });
  return found == shard.companions.end() ? nullptr : &*found;
}

// Sidecars are small beside their shards; sizes in a manifest are not believed
// without limit.
constexpr std::uint64_t kMostWhole = std::uint64_t{64} << 20;

std::vector<std::string> VariantsOfManifest(ReadableStorage& storage,
                                            const std::string& directory) {
  std::vector<std::string> names;
  const auto manifest = ReadManifest(storage, directory);
  if (!manifest.ok()) return names;
  for (const ManifestChild& child : manifest->variants) {
    names.push_back(child.path);
  }
  return names;
}

}  // namespace

DatasetReader::DatasetReader(ReadableStorage& storage, std::string directory,
                             Manifest manifest)
    : storage_(storage),
      directory_(std::move(directory)),
      manifest_(std::move(manifest)) {
  for (const ManifestSplit& split : manifest_.splits) {
    std::uint64_t first = 0;
    for (const ManifestShard& shard : split.shards) {
      shards_.push_back({&split, &shard, first});
      first += shard.samples;
    }
  }
}

std::vector<std::string> DatasetReader::VariantsBelow(
    ReadableStorage& storage, const std::string& directory) {
  const std::string folder = JoinPath(directory, kSizesFolder);
  const auto entries = storage.List(folder);
  // Where folders cannot be listed, only the manifest knows.
  if (entries.status().code() == Code::kUnsupported) {
    return VariantsOfManifest(storage, directory);
  }
  if (!entries.ok()) return {};
  std::vector<std::string> names;
  for (const DirEntry& entry : *entries) {
    const std::string path = JoinPath(folder, entry.name);
    if (storage.Stat(JoinPath(path, kManifestName)).ok()) {
      names.push_back(JoinPath(kSizesFolder, entry.name));
    }
  }
  // 96 before 160: they are numbers.
  std::ranges::sort(names, {}, [](const std::string& name) {
    return std::pair(name.size(), name);
  });
  return names;
}

Result<std::unique_ptr<DatasetReader>> DatasetReader::Open(
    ReadableStorage& storage, const std::string& path) {
  // One request instead of one that asks whether it is there, and one for it.
  if (MayBeRemoteDataset(path)) {
    Result<Manifest> there = ReadManifest(storage, path);
    if (there.ok()) return Of(storage, path, *std::move(there));
    const Code code = there.status().code();
    if (code == Code::kCorrupt || code == Code::kRemote ||
        code == Code::kCancelled) {
      return std::move(there).status();
    }
  }
  SHARDINE_ASSIGN_OR_RETURN(const std::string directory,
                            DatasetFolder(storage, path));
  Result<Manifest> manifest = ReadManifest(storage, directory);
  if (!manifest.ok()) {
    // Without a manifest there is no dataset, but the folder may well be one on
    // its way, or have variants alone, and "not a dataset" would not help the
    // user.
    Status status = std::move(manifest).status();
    if (status.code() != Code::kNotFound) return status;
    SHARDINE_RETURN_IF_ERROR(CheckIsNoShard(storage, directory));
    std::string variants;
    for (const std::string& name : VariantsBelow(storage, directory)) {
      variants += (variants.empty() ? "" : ", ") + EscapeBytes(name);
    }
    std::string what = DescribeUnfinished(storage, directory);
    if (what.empty() && variants.empty()) return status;
    if (what.empty()) what = status.message();
    if (!variants.empty()) {
      what += ", but these variants lie below it: " + variants;
    }
    return Status(Code::kNotFound, what).At({.path = directory});
  }
  return Of(storage, directory, *std::move(manifest));
}

std::unique_ptr<DatasetReader> DatasetReader::Of(ReadableStorage& storage,
                                                 std::string directory,
                                                 Manifest manifest) {
  return std::unique_ptr<DatasetReader>(
      new DatasetReader(storage, std::move(directory), std::move(manifest)));
}

void DatasetReader::UseCache(std::shared_ptr<CacheFolder> cache) {
  companions_ = std::make_shared<const CompanionFiles>(cache);
  cache_ = std::move(cache);
}

Result<std::unique_ptr<RandomAccessFile>> DatasetReader::OpenShard(
    const ShardRef& ref) const {
  const std::string path = ShardPath(ref);
  if (cache_ == nullptr) return storage_.Open(path);
  SHARDINE_ASSIGN_OR_RETURN(const KnownFile known,
                            Known(path, ref.shard->file));
  return OpenCachedShard(cache_, storage_, known);
}

Result<KnownFile> DatasetReader::Known(const std::string& path,
                                       const ManifestFile& file) const {
  KnownFile known{.path = path, .bytes = file.bytes, .digest = file.digest};
  if (cache_ == nullptr) return known;
  SHARDINE_ASSIGN_OR_RETURN(known.address, storage_.AddressOf(path));
  return known;
}

std::string DatasetReader::PathOf(const ManifestFile& file) const {
  return JoinName(directory_, file.path);
}

std::string DatasetReader::ShardPath(const ShardRef& ref) const {
  return PathOf(ref.shard->file);
}

const ManifestFile* DatasetReader::SidecarOf(const ManifestShard& shard) {
  return CompanionOf(shard, kSidecarSuffix);
}

const ManifestFile* DatasetReader::EntryPointsOf(const ManifestShard& shard) {
  return CompanionOf(shard, kEntryPointSuffix);
}

Result<std::unique_ptr<RandomAccessFile>> DatasetReader::OpenCompanion(
    const ManifestFile& file) const {
  const std::string path = PathOf(file);
  if (companions_ == nullptr) {
    return storage_.OpenWhole(path, std::min(file.bytes, kMostWhole));
  }
  SHARDINE_ASSIGN_OR_RETURN(const KnownFile known, Known(path, file));
  return companions_->Open(storage_, known);
}

Result<std::unique_ptr<ShardIndex>> DatasetReader::OpenIndex(
    const ShardRef& ref, std::shared_ptr<PageCache> pages) const {
  const ManifestFile* file = SidecarOf(*ref.shard);
  if (file == nullptr) {
    return Status(Code::kCorrupt, "the manifest lists no sidecar of this shard")
        .At({.path = ShardPath(ref)});
  }
  return OpenIndex(ref, OpenCompanion(*file), std::move(pages));
}

Result<std::unique_ptr<ShardIndex>> DatasetReader::OpenIndex(
    const ShardRef& ref, Result<std::unique_ptr<RandomAccessFile>> sidecar,
    std::shared_ptr<PageCache> pages) const {
  if (!sidecar.ok()) return std::move(sidecar).status();
  SHARDINE_ASSIGN_OR_RETURN(
      std::unique_ptr<ShardIndex> index,
      ShardIndex::Open(*std::move(sidecar), std::move(pages)));
  const std::string& path = index->path();
  const IndexBinding& binding = index->binding();
  const ManifestFile& shard = ref.shard->file;
  // A sidecar can be valid in itself and of an earlier pack of the same name.
  // Used with this shard, its extents would give wrong samples.
  if (binding.shard_bytes != shard.bytes ||
      binding.shard_digest != shard.digest) {
    return Stale(path, "it was made for other contents of the shard");
  }
  // Manifests of schema 1 say one digest for all shards.
  const Digest128& part = ref.shard->plan_digest;
  if (binding.plan_digest !=
      (part == Digest128() ? manifest_.plan_digest : part)) {
    return Stale(path, "it was made by another pack");
  }
  if (index->size() != ref.shard->samples) {
    return Stale(path, "it has " + std::to_string(index->size()) +
                           " samples, the manifest says " +
                           std::to_string(ref.shard->samples));
  }
  // A sound sidecar with other keys mostly has another size. Whether it is the
  // very one its digest tells, which verification computes.
  const std::uint64_t bytes = SidecarOf(*ref.shard)->bytes;
  if (index->file_bytes() != bytes) {
    return Stale(path, "it has " + std::to_string(index->file_bytes()) +
                           " bytes, the manifest says " +
                           std::to_string(bytes));
  }
  return index;
}

Result<std::unique_ptr<EntryPointFile>> DatasetReader::OpenEntryPoints(
    const ShardRef& ref, const ShardIndex& index,
    std::shared_ptr<PageCache> pages) const {
  const ManifestFile* file = EntryPointsOf(*ref.shard);
  if (file == nullptr) return std::unique_ptr<EntryPointFile>();
  return OpenEntryPoints(index, OpenCompanion(*file), std::move(pages));
}

Result<std::unique_ptr<EntryPointFile>> DatasetReader::OpenEntryPoints(
    const ShardIndex& index, Result<std::unique_ptr<RandomAccessFile>> file,
    std::shared_ptr<PageCache> pages) {
  if (!file.ok()) return std::move(file).status();
  SHARDINE_ASSIGN_OR_RETURN(
      std::unique_ptr<EntryPointFile> points,
      EntryPointFile::Open(*std::move(file), std::move(pages)));
  SHARDINE_RETURN_IF_ERROR(CheckBelongs(*points, index));
  return points;
}

Status DatasetReader::ForEachIndex(std::span<const ShardRef> shards,
                                   const VisitIndex& visit) const {
  const auto bytes = [&](std::uint64_t i) -> std::size_t {
    const ManifestFile* const file = SidecarOf(*shards[i].shard);
    return file == nullptr ? 0 : std::min(file->bytes, kMostWhole);
  };
  return WorkInOrder<std::unique_ptr<ShardIndex>>(
      {.count = shards.size(),
       .threads = SchemeOf(directory_).empty() ? 1 : kServerBlocks,
       .bytes = bytes},
      {.make = [&](std::uint64_t i) { return OpenIndex(shards[i]); },
       .take =
           [&](std::uint64_t i, const std::unique_ptr<ShardIndex>& index) {
             return visit(shards[i], *index);
           }});
}

Result<DatasetReader::Location> DatasetReader::FindKey(
    std::string_view key, std::string_view split) const {
  const std::string wanted(key);
  SHARDINE_ASSIGN_OR_RETURN(
      const auto found,
      FindKeys(*this, {&wanted, 1}, split, /*escaped=*/false));
  return Location{found[0].shard, found[0].record};
}

}  // namespace shardine
