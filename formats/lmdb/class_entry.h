// The entry `__classes__` of a database: the names of its classes.
#ifndef SHARDINE_FORMATS_LMDB_CLASS_ENTRY_H_
#define SHARDINE_FORMATS_LMDB_CLASS_ENTRY_H_

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lmdb/lmdb_reader.h"
#include "shard/dataset_metadata.h"

namespace shardine {

// Class names by label: the position in a list of texts, or the integer in a
// dict of texts and integers (class_to_idx). Empty if there is no such entry,
// or one of something else, which says nothing about classes. kCorrupt and
// kUnsupported if it cannot be read.
Result<std::map<std::int64_t, std::string>> ReadClassEntry(
    LmdbReader& reader, std::uint64_t max_memory);

// The names in the order of their labels, as a list of them has them, as texts
// or as bytes. kUnsupported, naming the class, for labels other than 0, 1, ...,
// names of more than 1,000 bytes, and texts that are no UTF-8.
Result<std::vector<std::string_view>> ListedClasses(
    std::span<const DatasetFacts::Class> classes, bool texts);

}  // namespace shardine

#endif  // SHARDINE_FORMATS_LMDB_CLASS_ENTRY_H_
