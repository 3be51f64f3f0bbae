// From a record as a scanner found it to its row in the sidecar. The one place
// where payload checksums and content digests of stored samples are computed:
// pack, index and verify all look at a shard through it.
#ifndef SHARDINE_DATASET_INDEX_ENTRY_H_
#define SHARDINE_DATASET_INDEX_ENTRY_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "shard/dataset_metadata.h"
#include "shard/format.h"
#include "shard/shard_index.h"
#include "source/class_map.h"

namespace shardine {

// `labels` are the exact ones, which the record may hold rounded. Header facts
// are probed from the image field, if there is one.
IndexEntry MakeIndexEntry(const ScannedSample& scanned, std::uint64_t id,
                          std::span<const Label> labels);

// Compares the record's own labels, id and key with the exact ones, as far as
// `limits` let it hold them. kCorrupt, naming the value that differs.
Status CompareWithRecord(const ScannedSample& scanned, const Limits& limits,
                         std::uint64_t id, std::span<const Label> labels,
                         std::string_view key);

// `sample`, which has all that is known, as a record is given it: labels
// beyond the limits are left to the sidecar, and the class is named.
SampleView RecordOf(SampleView sample, const Limits& limits,
                    const ClassMap& classes);

// The facts about classes that a format is given.
std::vector<DatasetFacts::Class> ClassFactsOf(const ClassMap& classes);

// "00000012.jpg": the name of a sample without one. The suffix follows the kind
// of image.
std::string MadeUpKey(std::uint64_t id, const ImageFacts& facts);

}  // namespace shardine

#endif  // SHARDINE_DATASET_INDEX_ENTRY_H_
