#include "load/chosen_entries.h"

#include "base/status_macros.h"

namespace shardine {

Status ChosenEntries(const SampleSource& source, const SampleChoice& choice,
                     std::uint64_t first, std::uint64_t count,
                     std::vector<IndexEntry>& entries) {
  if (choice.is_all()) return source.Entries(first, count, entries);
  entries.resize(count);
  for (std::uint64_t i = 0; i < count; ++i) {
    SHARDINE_ASSIGN_OR_RETURN(entries[i], source.Entry(choice(first + i)));
  }
  return {};
}

}  // namespace shardine
