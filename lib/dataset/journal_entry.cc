#include "dataset/journal_entry.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "base/json_tree.h"
#include "base/sealed_text.h"
#include "io/atomic_file.h"
#include "io/folder_lock.h"
#include "shardine/escape.h"
#include "source/shard_plan.h"

namespace shardine {
namespace {

using Json = nlohmann::json;

constexpr std::string_view kOurs = "shardine journal ";
constexpr std::string_view kMagic = "shardine journal 3\n";
// Sources are as many as a command line holds, each escaped; a larger file is
// no journal.
constexpr std::uint64_t kMaxJournal = std::uint64_t{1} << 26;

bool GetText(const Json& value, std::string& text) {
  if (!value.is_string()) return false;
  auto plain = UnescapeBytes(value.get_ref<const std::string&>());
  if (!plain) return false;
  text = *std::move(plain);
  return true;
}

// Journals of earlier versions do not have them.
bool GetShards(const Json& root, JournalEntry& entry) {
  const auto member = root.find("shards");
  if (member == root.end()) return true;
  if (!member->is_object()) return false;
  for (const auto& [name, value] : member->items()) {
    const auto split = UnescapeBytes(name);
    if (!split || !value.is_number_unsigned()) return false;
    // The numbers are added up and shown: more than names can hold is none.
    const auto count = value.get<std::uint64_t>();
    if (count == 0 || count > kMaxShards) return false;
    entry.shards[*split] = count;
  }
  return true;
}

// Likewise.
bool GetPublished(const Json& root, JournalEntry& entry) {
  const auto member = root.find("published");
  if (member == root.end()) return true;
  if (!member->is_object()) return false;
  for (const auto& [name, value] : member->items()) {
    const auto path = UnescapeBytes(name);
    std::string text;
    if (!path || !GetText(value, text)) return false;
    const auto digest = Digest128::FromHex(text);
    if (!digest) return false;
    entry.published[*path] = *digest;
  }
  return true;
}

bool GetEntry(const Json& root, JournalEntry& entry) {
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
  for (const Json& source : root["sources"]) {
    if (!GetText(source, entry.made.sources.emplace_back())) return false;
  }
  return GetShards(root, entry) && GetPublished(root, entry);
}

}  // namespace

std::string JournalText(const JournalEntry& entry) {
  Json sources = Json::array();
  for (const std::string& source : entry.made.sources) {
    sources.push_back(EscapeBytes(source));
  }
  Json options = Json::object();
  for (const auto& [name, value] : entry.made.options) {
    options[name] = EscapeBytes(value);
  }
  Json root = {{"command", entry.made.command},
               {"options", std::move(options)},
               {"plan_digest", entry.plan_digest.ToHex()},
               {"sources", std::move(sources)}};
  for (const auto& [split, count] : entry.shards) {
    root["shards"][EscapeBytes(split)] = count;
  }
  for (const auto& [path, digest] : entry.published) {
    root["published"][EscapeBytes(path)] = digest.ToHex();
  }
  return SealText(std::string(kMagic) + root.dump() + "\n");
}

std::optional<JournalEntry> ParseJournal(std::string_view text) {
  const auto body = UnsealText(text, kMagic);
  if (!body || !JsonTreeFits(*body)) return std::nullopt;
  JournalEntry entry;
  const Json root = Json::parse(*body, nullptr, false);
  if (!GetEntry(root, entry)) return std::nullopt;
  return entry;
}

bool IsLikeJournal(std::string_view text) {
  return text.starts_with(kOurs) || kOurs.starts_with(text) ||
         text.find_first_not_of('\0') == std::string_view::npos;
}

Result<std::string> ReadJournalText(ReadableStorage& storage,
                                    const std::string& folder) {
  return ReadFile(storage, WorkPath(folder, kJournalName), kMaxJournal);
}

}  // namespace shardine
