// Lists that name a path more than once: over-sampling, or a label at a time.
// Each line is a sample, and each sample needs a key of its own.
#ifndef SHARDINE_SOURCE_REPEATED_PATHS_H_
#define SHARDINE_SOURCE_REPEATED_PATHS_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "io/readable_storage.h"
#include "source/source_set.h"

namespace shardine {

// The key of another sample of the file `path`: with the number before the
// suffix of its name, so that "a/b.jpg" and 2 are "a/b#2.jpg". No two paths and
// numbers give one key.
std::string NumberedKey(std::string_view path, std::uint64_t number);

// Gives the samples of `set` whose path an earlier one of their root has a key
// of their own, by NumberedKey(): the first keeps the path, the others get the
// numbers 2, 3 and so on in the order of the list. A number whose key is
// another path of the list or a file of the root is passed over, so that the
// key of a sample never names another file than its own. (So may be one whose
// key has the 64-bit hash of such a path.) All keys are different then; paths
// stay, and set.notes says how many got a number.
//
// Needs 8 bytes per sample, and 24 for each one whose path comes several times,
// until it is done; one look at the storage for each key that is given.
void KeyRepeatedPaths(ReadableStorage& storage, SourceSet& set);

}  // namespace shardine

#endif  // SHARDINE_SOURCE_REPEATED_PATHS_H_
