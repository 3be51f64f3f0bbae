#include "pack/duplicate_names.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <tuple>
#include <utility>
#include <vector>

#include "base/status_macros.h"
#include "shard/content_digest.h"
#include "shard/shard_index.h"

namespace shardine {
namespace {

// A frame has so many keys: a few compressed bytes may be 16 MiB of them.
constexpr std::uint64_t kBatch = 256;

// A name, and where its sample is.
struct Named {
  Digest128 name;
  std::uint32_t shard = 0;
  std::uint32_t record = 0;

  // Shard and record are part of the order, so that the pair that is named does
  // not depend on how the sort treats equals.
  auto order() const { return std::tuple(name.low, name.high, shard, record); }
};
using Visitor = std::function<void(const Named&)>;

enum class Kind { kKey, kId };

Status VisitNames(ReadableStorage& storage, const NamedShard& shard, Kind kind,
                  std::uint32_t number, const Visitor& visit) {
  SHARDINE_ASSIGN_OR_RETURN(const auto index,
                            ShardIndex::Open(storage, SidecarName(shard.path)));
  std::vector<std::string> keys;
  std::vector<IndexEntry> entries;
  for (std::uint64_t first = 0; first < index->size(); first += kBatch) {
    const std::uint64_t count = std::min(kBatch, index->size() - first);
    if (kind == Kind::kKey) {
      SHARDINE_RETURN_IF_ERROR(index->Keys(first, count, keys));
    } else {
      SHARDINE_RETURN_IF_ERROR(index->Entries(first, count, entries));
    }
    for (std::uint64_t i = 0; i < count; ++i) {
      // Keys are compared by their name digests, of 16 bytes whatever the key's
      // length, and ids as they are. The split is part of the digest: two
      // splits may have one key.
      visit({.name = kind == Kind::kKey ? NameDigest(0, shard.split, keys[i])
                                        : Digest128{entries[i].id, 0},
             .shard = number,
             .record = static_cast<std::uint32_t>(first + i)});
    }
  }
  return Status();
}

// "sample 17 of split train", counted over its shards.
std::string PlaceOf(std::span<const NamedShard> shards, const Named& named) {
  const std::string& split = shards[named.shard].split;
  std::uint64_t position = named.record;
  for (const NamedShard& before : shards.first(named.shard)) {
    if (before.split == split) position += before.samples;
  }
  return "sample " + std::to_string(position) + " of split " + split;
}

Status Refuse(ReadableStorage& storage, std::span<const NamedShard> shards,
              Kind kind, const Named& a, const Named& b) {
  SHARDINE_ASSIGN_OR_RETURN(
      const auto index,
      ShardIndex::Open(storage, SidecarName(shards[a.shard].path)));
  // The keys themselves were not kept, so the first one is read again.
  SHARDINE_ASSIGN_OR_RETURN(std::string key, index->Key(a.record));
  const std::string what =
      kind == Kind::kKey ? "this key" : "id " + std::to_string(a.name.low);
  return Status(Code::kInvalidArgument, PlaceOf(shards, a) + " and " +
                                            PlaceOf(shards, b) + " both have " +
                                            what)
      .At({.key = std::move(key)});
}

// One shard is open at a time; each pass takes the names of one remainder, so
// that two equal ones are in the same.
Status CheckUnique(ReadableStorage& storage, std::span<const NamedShard> shards,
                   Kind kind, std::size_t at_once) {
  std::uint64_t samples = 0;
  for (const NamedShard& shard : shards) samples += shard.samples;
  const std::uint64_t passes = samples / at_once + 1;
  std::vector<Named> names;
  for (std::uint64_t pass = 0; pass < passes; ++pass) {
    names.clear();
    const auto visit = [&](const Named& named) {
      if (named.name.low % passes == pass) names.push_back(named);
    };
    for (std::uint32_t i = 0; i < shards.size(); ++i) {
      SHARDINE_RETURN_IF_ERROR(VisitNames(storage, shards[i], kind, i, visit));
    }
    std::ranges::sort(names, {}, &Named::order);
    const auto twin = std::ranges::adjacent_find(names, {}, &Named::name);
    if (twin != names.end()) {
      return Refuse(storage, shards, kind, *twin, *(twin + 1));
    }
  }
  return Status();
}

}  // namespace

Status CheckKeysUnique(ReadableStorage& storage,
                       std::span<const NamedShard> shards,
                       std::size_t at_once) {
  return CheckUnique(storage, shards, Kind::kKey, at_once);
}

Status CheckIdsUnique(ReadableStorage& storage,
                      std::span<const NamedShard> shards, std::size_t at_once) {
  return CheckUnique(storage, shards, Kind::kId, at_once);
}

}  // namespace shardine
