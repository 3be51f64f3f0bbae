// No key and no id may come twice.
#ifndef SHARDINE_SOURCE_UNIQUE_SAMPLES_H_
#define SHARDINE_SOURCE_UNIQUE_SAMPLES_H_

#include <cstddef>
#include <optional>

#include "shardine/status.h"
#include "source/source_list.h"

namespace shardine {

// kInvalidArgument naming an id that two samples have (with both keys), or a
// key that comes twice in one root (with both ids). Needs 8 bytes per sample.
Status CheckUnique(const SourceList& samples);

// A sample whose key another one of its split has; nullopt if there is none.
// Needs 4 bytes per sample.
std::optional<std::size_t> FindKeyTwice(const SourceList& samples);

}  // namespace shardine

#endif  // SHARDINE_SOURCE_UNIQUE_SAMPLES_H_
