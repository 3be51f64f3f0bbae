// The contents of a journal (OUT/.pack/journal): which command is at work in a
// folder, how many shards it is to make, and which files it published beside
// them. Layout: dataset/FORMAT.md, "While a folder is written".
#ifndef SHARDINE_DATASET_JOURNAL_ENTRY_H_
#define SHARDINE_DATASET_JOURNAL_ENTRY_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "io/readable_storage.h"
#include "shardine/digest.h"
#include "shardine/provenance.h"
#include "shardine/status.h"

namespace shardine {

inline constexpr char kJournalName[] = "journal";  // in the work folder

struct JournalEntry {
  Provenance made;
  Digest128 plan_digest;
  // How many shards each split is to have. Empty where the number is unknown
  // before the end, and in journals of earlier versions.
  std::map<std::string, std::uint64_t> shards = {};
  // Files beside the shards that the work publishes (manifests, lists of
  // rejects): the XXH3-128 of each by its path in the folder. Noted before the
  // file gets its name; no other file may be taken back.
  std::map<std::string, Digest128> published = {};

  friend bool operator==(const JournalEntry&, const JournalEntry&) = default;
};

// Magic, one line of JSON, and a line with the XXH3-128 of both.
std::string JournalText(const JournalEntry& entry);

// nullopt for one that is not whole, or whose members are not those of a
// journal.
std::optional<JournalEntry> ParseJournal(std::string_view text);

// Whether the text is a journal of any version, or the rest of one after a cut
// or a lost page.
bool IsLikeJournal(std::string_view text);

// The text of the folder's journal. kNotFound: there is none; kCorrupt: a file
// that is too large for one.
Result<std::string> ReadJournalText(ReadableStorage& storage,
                                    const std::string& folder);

}  // namespace shardine

#endif  // SHARDINE_DATASET_JOURNAL_ENTRY_H_
