// Lists that name a path more than once: over-sampling, or a label at a time.
// Each line is a sample, and each sample needs a key of its own.
#ifndef SHARDINE_SOURCE_REPEATED_PATHS_H_
#define SHARDINE_SOURCE_REPEATED_PATHS_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "io/readable_storage.h"
#include "shardine/status.h"
#include "source/source_set.h"

namespace shardine {

// The key of another sample of the file `path`: with the number before the
// suffix of its name, so that "a/b.jpg" and 2 are "a/b#2.jpg". No two paths and
// numbers give one key.
std::string NumberedKey(std::string_view path, std::uint64_t number);

// Gives the samples of `set` whose path an earlier one of their root has a key
// of their own, by NumberedKey(): the first keeps the path, the others get the
// numbers 2, 3 and so on in the order of the list. A number whose key is a file
// or folder of the root is passed over, so that the key of a sample never names
// another file than its own. All keys are different then, since listed files
// are there; paths stay, and set.notes says how many got a number.
// kInvalidArgument if two keys are the same all the same: one of the files has
// just vanished.
//
// Needs 8 bytes per sample, and 24 for each one whose path comes several times,
// until it is done; one look at the storage for each number.
Status KeyRepeatedPaths(ReadableStorage& storage, SourceSet& set);

}  // namespace shardine

#endif  // SHARDINE_SOURCE_REPEATED_PATHS_H_
