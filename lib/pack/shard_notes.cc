#include "pack/shard_notes.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/checksum.h"
#include "base/status_macros.h"
#include "io/atomic_file.h"
#include "source/field_file.h"

namespace shardine {
namespace {

using nlohmann::json;

constexpr std::string_view kSuffix = ".notes";

std::string NotesText(const ShardNotes& notes) {
  json sizes = json::array();
  for (const SizeCounts& counts : notes.sizes) {
    sizes.push_back({counts.upscaled, counts.kept});
  }
  json files = json::array();
  for (const auto& [variant, facts] : notes.files) {
    files.push_back({variant, facts.size, facts.mtime_ns});
  }
  json text = {{"check", static_cast<int>(notes.judged.check)},
               {"facts", notes.facts.ToHex()},
               {"files", std::move(files)},
               {"has_rejects", !notes.rejects.empty()},
               {"on_bad", static_cast<int>(notes.judged.on_bad)},
               {"part", notes.part.ToHex()},
               {"sizes", std::move(sizes)},
               {"source_digest", notes.source_digest.ToHex()}};
  if (!notes.judged.kinds.empty()) text["kinds"] = notes.judged.kinds;
  return text.dump() + "\n";
}

bool GetDigest(const json& root, const char* name, Digest128& digest) {
  const auto member = root.find(name);
  if (member == root.end() || !member->is_string()) return false;
  const auto value = Digest128::FromHex(member->get_ref<const std::string&>());
  if (value) digest = *value;
  return value.has_value();
}

// A number of at most `last`.
template <typename Enum>
bool GetEnum(const json& root, const char* name, Enum last, Enum& value) {
  const auto member = root.find(name);
  if (member == root.end() || !member->is_number_unsigned()) return false;
  const auto number = member->get<std::uint64_t>();
  // Casting an unknown number would make an enumerator that no switch handles.
  // A file of a newer version, or a damaged one, is no note.
  if (number > static_cast<std::uint64_t>(last)) return false;
  value = static_cast<Enum>(number);
  return true;
}

// Notes of an earlier version have no files: then the shards are read.
void GetFiles(const json& root, NotedFiles& files) {
  const auto member = root.find("files");
  if (member == root.end() || !member->is_array()) return;
  for (const json& file : *member) {
    if (!file.is_array() || file.size() != 3 || !file[0].is_number_unsigned() ||
        !file[1].is_number_unsigned() || !file[2].is_number_integer()) {
      continue;
    }
    files[file[0].get<std::size_t>()] = {file[1].get<std::uint64_t>(),
                                         file[2].get<std::int64_t>()};
  }
}

// Notes of an earlier version have no kinds.
void GetKinds(const json& root, ImageKindNames& kinds) {
  const auto member = root.find("kinds");
  if (member == root.end() || !member->is_array()) return;
  for (const json& kind : *member) {
    if (kind.is_string()) kinds.push_back(kind.get<std::string>());
  }
}

bool Parse(const json& root, NotedShard& noted) {
  if (!root.is_object()) return false;
  const auto rejects = root.find("has_rejects");
  if (rejects == root.end() || !rejects->is_boolean()) return false;
  noted.has_rejects = rejects->get<bool>();
  GetFiles(root, noted.files);
  GetKinds(root, noted.judged.kinds);
  return GetDigest(root, "part", noted.part) &&
         GetDigest(root, "facts", noted.facts) &&
         GetEnum(root, "check", ImageCheckLevel::kDecode, noted.judged.check) &&
         GetEnum(root, "on_bad", OnBad::kKeep, noted.judged.on_bad);
}

// Adds the text's facts about sizes to the notes.
bool AddSizes(const std::string& text, ShardNotes& notes) {
  const json root = json::parse(text, nullptr, false);
  if (!root.is_object()) return false;
  const auto sizes = root.find("sizes");
  if (sizes == root.end()) return false;
  if (!sizes->is_array() || sizes->size() != notes.sizes.size()) return false;
  Digest128 sum;
  if (!GetDigest(root, "source_digest", sum)) return false;
  notes.source_digest += sum;
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

std::optional<NotedFile> NotedShard::FactsOf(std::size_t variant) const {
  const auto found = files.find(variant);
  if (found == files.end()) return std::nullopt;
  return found->second;
}

Digest128 FactsDigest(const ShardPlan& plan, const PlannedShard& shard) {
  Xxh3Stream hash;
  for (std::uint64_t i = 0; i < shard.count; ++i) {
    const std::size_t sample = plan.SampleAt(shard, i);
    const SourceFacts facts = plan.source().samples.facts(sample);
    hash.UpdateLe(facts.size);
    hash.UpdateLe(facts.mtime_ns);
    for (const SampleFile& file : FilesOfSample(plan.source(), sample)) {
      hash.UpdateLe(file.file.facts.size);
      hash.UpdateLe(file.file.facts.mtime_ns);
    }
  }
  return hash.Digest();
}

std::string ShardNotesPath(const OutputFolder& output,
                           const std::string& shard) {
  return output.WorkPath(shard + std::string(kSuffix));
}

Status SaveShardNotes(const OutputFolder& output, const std::string& shard,
                      const ShardNotes& notes) {
  // The rejects come first: a run that finds the notes may rely on the list
  // being there. A power cut between the two leaves a list without notes, which
  // is written again with them.
  SHARDINE_RETURN_IF_ERROR(SaveShardRejects(output, shard, notes.rejects));
  return WriteFileAtomically(output.storage(), ShardNotesPath(output, shard),
                             AsBytes(NotesText(notes)));
}

Result<std::optional<NotedShard>> ReadShardNotes(const OutputFolder& output,
                                                 const std::string& shard) {
  auto text =
      ReadFile(output.storage(), ShardNotesPath(output, shard), kMaxShardNotes);
  // A disk that cannot be read now may be readable for the next run, so its
  // error is shown. Missing or damaged notes only cost the shard, which is made
  // again.
  if (text.status().code() == Code::kIo) return std::move(text).status();
  NotedShard noted;
  if (!text.ok() || !Parse(json::parse(*text, nullptr, false), noted)) {
    return std::optional<NotedShard>();
  }
  return std::optional(noted);
}

Result<std::vector<std::string>> ListNotedShards(const OutputFolder& output) {
  SHARDINE_ASSIGN_OR_RETURN(const auto entries,
                            output.storage().List(output.PathOf(kWorkFolder)));
  std::vector<std::string> shards;
  for (const DirEntry& entry : entries) {
    if (!entry.name.ends_with(kSuffix)) continue;
    shards.push_back(entry.name.substr(0, entry.name.size() - kSuffix.size()));
  }
  std::ranges::sort(shards);
  return shards;
}

Status RemoveShardNotes(const OutputFolder& output, const std::string& shard) {
  SHARDINE_RETURN_IF_ERROR(SaveShardRejects(output, shard, {}));
  return output.Remove(ShardNotesPath(output, shard));
}

Status AddShardSums(const OutputFolder& output, const std::string& shard,
                    ShardNotes& notes) {
  const std::string path = ShardNotesPath(output, shard);
  SHARDINE_ASSIGN_OR_RETURN(const std::string text,
                            ReadFile(output.storage(), path, kMaxShardNotes));
  if (AddSizes(text, notes)) return Status();
  return Status(Code::kCorrupt, "not the notes of a shard").At({.path = path});
}

Result<ShardNotes> CollectNotes(const OutputFolder& output,
                                const DatasetPlan& planned, OnBad on_bad) {
  ShardNotes notes;
  SHARDINE_ASSIGN_OR_RETURN(notes.rejects,
                            CollectRejects(output, planned.plan, on_bad));
  notes.rejects.insert(notes.rejects.begin(), planned.lost.begin(),
                       planned.lost.end());
  notes.rejects.insert(notes.rejects.begin(), planned.kept.begin(),
                       planned.kept.end());
  DropJudgedAgain(notes.rejects);
  // Without sizes the manifests need nothing but the rejects; the notes
  // themselves serve the next run's decision alone.
  if (!planned.has_sizes()) return notes;
  notes.sizes.resize(planned.variants.back().number);
  for (const PlannedShard& shard : planned.plan.shards()) {
    SHARDINE_RETURN_IF_ERROR(AddShardSums(output, shard.name, notes));
  }
  return notes;
}

}  // namespace shardine
