#include "pack/shard_notes.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "base/status_macros.h"
#include "io/atomic_file.h"
#include "io/folder_lock.h"

namespace shardine {
namespace {

using nlohmann::json;

constexpr std::uint64_t kMaxSizesFile = std::uint64_t{1} << 20;

std::string SizesPath(const std::string& output, const std::string& shard) {
  return WorkPath(output, shard + ".sizes");
}

std::string SizesText(const ShardNotes& notes) {
  json sizes = json::array();
  for (const SizeCounts& counts : notes.sizes) {
    sizes.push_back({counts.upscaled, counts.kept});
  }
  return json({{"sizes", std::move(sizes)},
               {"source_digest", notes.source_digest.ToHex()}})
             .dump() +
         "\n";
}

// Adds what the text says to the notes.
bool AddSizes(const std::string& text, ShardNotes& notes) {
  const json root = json::parse(text, nullptr, false);
  if (!root.is_object() || root.size() != 2) return false;
  const auto sizes = root.find("sizes");
  const auto digest = root.find("source_digest");
  if (sizes == root.end() || digest == root.end()) return false;
  if (!sizes->is_array() || sizes->size() != notes.sizes.size()) return false;
  if (!digest->is_string()) return false;
  const auto sum = Digest128::FromHex(digest->get_ref<const std::string&>());
  if (!sum) return false;
  notes.source_digest += *sum;
  for (std::size_t i = 0; i < sizes->size(); ++i) {
    const json& counts = (*sizes)[i];
    if (!counts.is_array() || counts.size() != 2) return false;
    if (!counts[0].is_number_unsigned()) return false;
    if (!counts[1].is_number_unsigned()) return false;
    notes.sizes[i].upscaled += counts[0].get<std::uint64_t>();
    notes.sizes[i].kept += counts[1].get<std::uint64_t>();
  }
  return true;
}

}  // namespace

Status SaveShardNotes(Storage& storage, const std::string& output,
                      const std::string& shard, const ShardNotes& notes) {
  SHARDINE_RETURN_IF_ERROR(
      SaveShardRejects(storage, output, shard, notes.rejects));
  if (notes.sizes.empty()) return Status();
  return WriteFileAtomically(storage, SizesPath(output, shard),
                             AsBytes(SizesText(notes)));
}

Result<ShardNotes> CollectNotes(Storage& storage, const std::string& output,
                                const DatasetPlan& planned, OnBad on_bad) {
  ShardNotes notes;
  SHARDINE_ASSIGN_OR_RETURN(
      notes.rejects, CollectRejects(storage, output, planned.plan, on_bad));
  notes.rejects.insert(notes.rejects.begin(), planned.kept.begin(),
                       planned.kept.end());
  if (!planned.has_sizes()) return notes;
  notes.sizes.resize(planned.variants.back().number);
  for (const PlannedShard& shard : planned.plan.shards()) {
    const std::string path = SizesPath(output, shard.name);
    SHARDINE_ASSIGN_OR_RETURN(const std::string text,
                              ReadFile(storage, path, kMaxSizesFile));
    if (AddSizes(text, notes)) continue;
    return Status(Code::kCorrupt, "not the notes of a shard")
        .At({.path = path});
  }
  return notes;
}

}  // namespace shardine
