// LocateDamage: which byte of a shard is wrong when every record reads as it
// should, so that the damage lies in bytes that no reader looks at (reserved
// words, padding, the sign of a zero label).
#ifndef SHARDINE_VERIFY_LOCATE_DAMAGE_H_
#define SHARDINE_VERIFY_LOCATE_DAMAGE_H_

#include <cstdint>
#include <optional>

#include "io/readable_storage.h"
#include "shard/format_registry.h"
#include "shard/shard_index.h"
#include "shardine/digest.h"
#include "source/class_map.h"

namespace shardine {

// The values that a shard was written with, beside its samples.
struct ShardMaking {
  const ClassMap& classes;
  const std::string& split;
};

// Writes the shard once more from its index and payloads, through the format's
// own writer, and compares as it goes. The offset of the first byte that
// differs, provided that the rewritten shard has the `expected` digest; nullopt
// when it has not (a foreign writer made the shard) or nothing differs.
std::optional<std::uint64_t> LocateDamage(const FormatAndLayout& format,
                                          const RandomAccessFile& file,
                                          const ShardIndex& index,
                                          const ShardMaking& making,
                                          const Digest128& expected);

}  // namespace shardine

#endif  // SHARDINE_VERIFY_LOCATE_DAMAGE_H_
