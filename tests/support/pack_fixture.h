// Fixture of tests of pack and verify: a small source tree in memory, and the
// whole content of an output folder as one value that can be compared.
#ifndef SHARDINE_TESTS_SUPPORT_PACK_FIXTURE_H_
#define SHARDINE_TESTS_SUPPORT_PACK_FIXTURE_H_

#include <map>
#include <string>

#include "io/memory_storage.h"
#include "shardine/pack.h"

namespace shardine {

// Bytes that look random and are the same everywhere.
std::string NoiseBytes(std::size_t size, std::uint64_t seed);

// TREE/<class>/<n>.jpg with noise of 0 to `max_size` bytes as contents: no
// images, so for packs with ImageCheckLevel::kNone. Some contents hold
// RecordIO's magic word.
void PutTree(MemoryStorage& storage, const std::string& tree, int classes,
             int per_class, std::size_t max_size);

// Options that pack `tree` into `output` in three shards.
PackOptions PackOf(const std::string& tree, const std::string& output);

// Stops a pack of PackOf() as a signal would, when its first shard is published
// and its last is not: kCancelled.
Status StopAfterFirstShard(MemoryStorage& storage, const PackOptions& options);

// Every file below a folder: path relative to it -> contents.
using Snapshot = std::map<std::string, std::string>;
Snapshot TakeSnapshot(Storage& storage, const std::string& folder);

}  // namespace shardine

#endif  // SHARDINE_TESTS_SUPPORT_PACK_FIXTURE_H_
