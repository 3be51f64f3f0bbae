#include "pack/journal.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <utility>

#include "base/checksum.h"
#include "base/status_macros.h"
#include "dataset/rejects.h"
#include "io/atomic_file.h"
#include "shard/entry_point_file.h"
#include "shard/shard_index.h"
#include "shardine/escape.h"
#include "shardine/making.h"

namespace shardine {
namespace {

using nlohmann::json;

constexpr std::string_view kOurs = "shardine journal ";
constexpr std::string_view kMagic = "shardine journal 2\n";
// Sources are as many as a command line holds, each escaped; a larger file is
// no journal.
constexpr std::uint64_t kMaxJournal = std::uint64_t{1} << 26;

constexpr char kJournalName[] = "journal";  // in the work folder

// What a journal says: magic, one line of JSON, and a line with the XXH3-128 of
// both.
struct Entry {
  Making made;
  Digest128 plan_digest;
};

std::string JournalText(const JournalWork& work) {
  json sources = json::array();
  for (const std::string& source : work.made.sources) {
    sources.push_back(EscapeBytes(source));
  }
  json options = json::object();
  for (const auto& [name, value] : work.made.options) {
    options[name] = EscapeBytes(value);
  }
  const json entry = {{"command", work.made.command},
                      {"options", std::move(options)},
                      {"plan_digest", work.plan_digest.ToHex()},
                      {"sources", std::move(sources)}};
  std::string text = std::string(kMagic) + entry.dump() + "\n";
  text += Xxh3_128(AsBytes(text)).ToHex() + "\n";
  return text;
}

Status WriteJournal(const OutputFolder& output, const JournalWork& work) {
  Storage& storage = output.storage();
  // Written under its own name: a journal that is cut off has no digest and
  // counts as absent, and nothing was begun under it. Both folders are synced,
  // since shards without a journal would be nobody's after a power cut.
  SHARDINE_ASSIGN_OR_RETURN(auto file, storage.Create(Journal::PathIn(output)));
  SHARDINE_RETURN_IF_ERROR(file->Append(AsBytes(JournalText(work))));
  SHARDINE_RETURN_IF_ERROR(file->Sync());
  SHARDINE_RETURN_IF_ERROR(file->Close());
  SHARDINE_RETURN_IF_ERROR(storage.SyncDirectory(output.PathOf(kWorkFolder)));
  return storage.SyncDirectory(output.path());
}

Status Changed(std::string message, const std::string& path) {
  return Status(Code::kChanged, std::move(message)).At({.path = path});
}

bool GetText(const json& value, std::string& text) {
  if (!value.is_string()) return false;
  auto plain = UnescapeBytes(value.get_ref<const std::string&>());
  if (plain) text = *std::move(plain);
  return plain.has_value();
}

bool ParseEntry(const json& root, Entry& entry) {
  for (const char* name : {"command", "options", "plan_digest", "sources"}) {
    if (!root.is_object() || !root.contains(name)) return false;
  }
  std::string digest;
  if (!GetText(root["command"], entry.made.command) ||
      !GetText(root["plan_digest"], digest) || !root["options"].is_object() ||
      !root["sources"].is_array()) {
    return false;
  }
  const auto plan_digest = Digest128::FromHex(digest);
  if (!plan_digest) return false;
  entry.plan_digest = *plan_digest;
  for (const auto& [name, value] : root["options"].items()) {
    if (!GetText(value, entry.made.options[name])) return false;
  }
  for (const json& source : root["sources"]) {
    if (!GetText(source, entry.made.sources.emplace_back())) return false;
  }
  return true;
}

// nullopt for one that is not whole, which was never in force: no shard is
// begun before it is synced.
std::optional<Entry> ParseJournal(std::string_view text) {
  constexpr std::size_t kTrailer = 33;
  if (!text.starts_with(kMagic) || text.size() < kMagic.size() + kTrailer) {
    return std::nullopt;
  }
  const std::string_view body = text.substr(0, text.size() - kTrailer);
  if (text.substr(body.size()) != Xxh3_128(AsBytes(body)).ToHex() + "\n") {
    return std::nullopt;
  }
  Entry entry;
  const json root = json::parse(body.substr(kMagic.size()), nullptr, false);
  if (!ParseEntry(root, entry)) return std::nullopt;
  return entry;
}

// A journal of any version, or what a cut or a lost page left of one.
bool IsOurs(std::string_view text) {
  return text.starts_with(kOurs) || kOurs.starts_with(text) ||
         text.find_first_not_of('\0') == std::string_view::npos;
}

enum class JournalState { kAbsent, kOfThisWork };

Result<JournalState> CheckJournal(const OutputFolder& output,
                                  const JournalWork& work) {
  const std::string path = Journal::PathIn(output);
  const auto text = ReadFile(output.storage(), path, kMaxJournal);
  if (!text.ok()) {
    if (text.status().code() == Code::kNotFound) return JournalState::kAbsent;
    return text.status();
  }
  if (!IsOurs(*text)) {
    return Status(Code::kAlreadyExists,
                  "is in the way and no journal of an unfinished run; pack "
                  "into another folder, or remove it")
        .At({.path = path});
  }
  const std::optional<Entry> entry = ParseJournal(*text);
  // A damaged journal claims nothing. What lies under the plan's names is then
  // refused as foreign, rather than taken up on a guess.
  if (!entry) return JournalState::kAbsent;
  // The same command may have another plan by now, since its sources changed:
  // each shard's own digests say what of it still holds. The same plan may be
  // written in other words.
  if (entry->made == work.made || entry->plan_digest == work.plan_digest) {
    return JournalState::kOfThisWork;
  }
  return Changed(
      "the unfinished work in this folder is: " + ToString(entry->made) +
          "; this is: " + ToString(work.made) +
          "; repeat that command, or remove the folder",
      path);
}

// Without a journal, whatever lies under the plan's names is not ours.
Status RefuseForeignShards(const OutputFolder& folder,
                           const std::vector<std::string>& shards) {
  auto entries = folder.storage().List(folder.path());
  if (entries.status().code() == Code::kNotFound) return Status();
  if (!entries.ok()) return std::move(entries).status();
  std::vector<std::string> names;
  for (DirEntry& entry : *entries) names.push_back(std::move(entry.name));
  std::sort(names.begin(), names.end());
  const auto refuse = [&](const std::string& name) {
    if (!std::binary_search(names.begin(), names.end(), name)) return Status();
    return Changed(
        "is in the way and neither a manifest nor a journal says what it is; "
        "pack into another folder, or remove this one",
        folder.PathOf(name));
  };
  SHARDINE_RETURN_IF_ERROR(refuse(kRejectedName));
  for (const std::string& shard : shards) {
    const std::string sidecar = SidecarName(shard);
    // What formats call the indexes of their own.
    const std::string stem = shard.substr(0, shard.rfind('.'));
    for (const std::string& name : {shard, sidecar, EntryPointName(sidecar),
                                    stem + ".idx", stem + ".txt"}) {
      SHARDINE_RETURN_IF_ERROR(refuse(name));
    }
  }
  return Status();
}

// What runs keep in OUT/.pack: anything else is not ours to remove.
bool IsWorkFile(const DirEntry& entry) {
  const std::string& name = entry.name;
  if (entry.kind != FileKind::kRegular) return false;
  return name == kJournalName || name == "bad.jsonl" ||
         name.ends_with(".rejected") || name.ends_with(".notes") ||
         name.ends_with(".sdx") || IsTemporaryName(name);
}

}  // namespace

JournalWork::JournalWork(const DatasetPlan& planned)
    : made(planned.made), plan_digest(planned.plan.digest()) {
  for (const PlannedShard& shard : planned.plan.shards()) {
    shards.push_back(shard.name);
  }
}

std::string Journal::PathIn(const OutputFolder& output) {
  return output.WorkPath(kJournalName);
}

Result<Journal> Journal::Begin(const OutputFolder& output,
                               const JournalWork& work,
                               const std::vector<std::string>& folders) {
  SHARDINE_ASSIGN_OR_RETURN(FolderLock lock, output.Lock());
  Journal journal(std::move(lock));
  SHARDINE_ASSIGN_OR_RETURN(const JournalState state,
                            CheckJournal(output, work));
  for (const std::string& folder : folders) {
    if (state == JournalState::kOfThisWork) break;
    SHARDINE_RETURN_IF_ERROR(
        RefuseForeignShards(output.Below(folder), work.shards));
  }
  // Only with the lock, and only now: refusing comes first, so that nothing is
  // removed from a folder that turns out to be somebody else's.
  SHARDINE_RETURN_IF_ERROR(output.RemoveTemporaries());
  if (state == JournalState::kAbsent) {
    SHARDINE_RETURN_IF_ERROR(WriteJournal(output, work));
  } else {
    SHARDINE_RETURN_IF_ERROR(output.Below(kWorkFolder).RemoveTemporaries());
  }
  for (const std::string& folder : folders) {
    if (folder.empty()) continue;
    const OutputFolder below = output.Below(folder);
    SHARDINE_RETURN_IF_ERROR(below.storage().CreateDirectories(below.path()));
    SHARDINE_RETURN_IF_ERROR(below.RemoveTemporaries());
  }
  journal.resumed_ = state == JournalState::kOfThisWork;
  return journal;
}

Status Journal::RemoveFolder(const OutputFolder& output) {
  auto entries = output.storage().List(output.PathOf(kWorkFolder));
  if (!entries.ok()) {
    return entries.status().code() == Code::kNotFound
               ? Status()
               : std::move(entries).status();
  }
  for (const DirEntry& entry : *entries) {
    if (!IsWorkFile(entry)) continue;
    SHARDINE_RETURN_IF_ERROR(output.Remove(output.WorkPath(entry.name)));
  }
  // Whoever holds the lock, this run or another, removes it at the end.
  auto lock = output.Lock();
  if (lock.status().code() == Code::kAlreadyExists) return Status();
  if (!lock.ok()) return std::move(lock).status();
  return lock->Release();
}

}  // namespace shardine
