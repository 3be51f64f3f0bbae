// Index entries of those samples of a source that are chosen.
#ifndef SHARDINE_LOAD_CHOSEN_ENTRIES_H_
#define SHARDINE_LOAD_CHOSEN_ENTRIES_H_

#include <cstdint>
#include <vector>

#include "dataset/sample_source.h"
#include "load/sample_choice.h"
#include "shardine/status.h"

namespace shardine {

// Reads the entries of neighbours among the chosen samples; replaces the
// vector's contents. REQUIRES: first + count <= choice.size().
Status ChosenEntries(const SampleSource& source, const SampleChoice& choice,
                     std::uint64_t first, std::uint64_t count,
                     std::vector<IndexEntry>& entries,
                     EntryParts parts = EntryParts::kAll);

}  // namespace shardine

#endif  // SHARDINE_LOAD_CHOSEN_ENTRIES_H_
