// No key and no id may come twice. A list may name a path twice, and has other
// keys for it then (source/repeated_paths.h).
#ifndef SHARDINE_SOURCE_UNIQUE_SAMPLES_H_
#define SHARDINE_SOURCE_UNIQUE_SAMPLES_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "shardine/status.h"
#include "source/source_list.h"

namespace shardine {

// kInvalidArgument naming an id that two samples have (with both keys), or a
// key that comes twice in one root (with both ids). Needs 8 bytes per sample.
Status CheckUnique(const SourceList& samples);
// The ids alone.
Status CheckUniqueIds(const SourceList& samples);

// The samples whose key another one of their root has: samples of one key
// together, in their order. Needs 8 bytes per sample.
std::vector<std::size_t> FindRepeated(const SourceList& samples);

// Among which samples of a split a key may be there once.
enum class KeyScope : std::uint8_t { kSplit, kInput };  // an input is a root
// A sample whose key another one of its split, or of its split and root, has;
// nullopt if there is none. Needs 4 bytes per sample.
std::optional<std::size_t> FindKeyTwice(const SourceList& samples,
                                        KeyScope of = KeyScope::kSplit);

}  // namespace shardine

#endif  // SHARDINE_SOURCE_UNIQUE_SAMPLES_H_
