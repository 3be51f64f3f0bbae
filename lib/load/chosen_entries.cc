#include "load/chosen_entries.h"

#include <utility>

#include "base/status_macros.h"

namespace shardine {

Status ChosenEntries(const SampleSource& source, const SampleChoice& choice,
                     std::uint64_t first, std::uint64_t count,
                     std::vector<IndexEntry>& entries, EntryParts parts) {
  if (choice.is_all()) return source.Entries(first, count, entries, parts);
  entries.resize(count);
  std::vector<IndexEntry> one;
  for (std::uint64_t i = 0; i < count; ++i) {
    SHARDINE_RETURN_IF_ERROR(source.Entries(choice(first + i), 1, one, parts));
    entries[i] = std::move(one[0]);
  }
  return {};
}

}  // namespace shardine
