#include "pack/verify_tree.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/checksum.h"
#include "base/status_macros.h"
#include "dataset/source_set.h"
#include "pack/rejects.h"
#include "shardine/escape.h"

namespace shardine {
namespace {

constexpr std::uint64_t kRun = 4096;  // keys held at a time

std::uint64_t KeyHash(std::string_view key) { return Xxh3_64(AsBytes(key)); }

// Hashes of all keys that the dataset has, or rejected and says so.
Result<std::vector<std::uint64_t>> KnownKeys(Storage& storage,
                                             const DatasetReader& dataset) {
  std::vector<std::uint64_t> hashes;
  hashes.reserve(dataset.manifest().samples());
  std::vector<std::string> keys;
  for (const DatasetReader::ShardRef& shard : dataset.shards()) {
    SHARDINE_ASSIGN_OR_RETURN(const auto index, dataset.OpenIndex(shard));
    for (std::uint64_t first = 0; first < index->size(); first += kRun) {
      SHARDINE_RETURN_IF_ERROR(
          index->Keys(first, std::min(kRun, index->size() - first), keys));
      for (const std::string& key : keys) hashes.push_back(KeyHash(key));
    }
  }
  const auto rejects =
      ReadRejects(storage, JoinPath(dataset.directory(), kRejectedName));
  if (rejects.ok()) {
    for (const Reject& reject : *rejects) hashes.push_back(KeyHash(reject.key));
  } else if (rejects.status().code() != Code::kNotFound) {
    return rejects.status();
  }
  std::sort(hashes.begin(), hashes.end());
  return hashes;
}

// One folder per split where the tree has them, as `extract` writes it.
SourceOptions SourceOf(Storage& storage, const DatasetReader& dataset,
                       const std::string& tree) {
  SourceOptions options;
  for (const ManifestSplit& split : dataset.manifest().splits) {
    const std::string folder = JoinPath(tree, split.name);
    if (storage.Stat(folder).ok()) {
      options.folders.push_back({split.name, folder});
    }
  }
  if (options.folders.size() < 2) options.folders = {{"train", tree}};
  return options;
}

}  // namespace

Result<std::string> NoteMissingImages(Storage& storage,
                                      const DatasetReader& dataset,
                                      const std::string& tree) {
  SHARDINE_ASSIGN_OR_RETURN(
      const SourceSet source,
      LoadSource(storage, SourceOf(storage, dataset, tree)));
  SHARDINE_ASSIGN_OR_RETURN(const std::vector<std::uint64_t> known,
                            KnownKeys(storage, dataset));
  std::uint64_t missing = 0;
  std::string first;
  for (std::size_t i = 0; i < source.samples.size(); ++i) {
    const std::string_view key = source.samples.key(i);
    if (std::binary_search(known.begin(), known.end(), KeyHash(key))) continue;
    if (missing++ == 0 || key < first) first = key;
  }
  if (missing == 0) return std::string();
  return "images of " + EscapeBytes(tree) +
         " that the dataset lacks: " + std::to_string(missing) + ", such as " +
         EscapeBytes(first);
}

}  // namespace shardine
