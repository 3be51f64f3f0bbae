// One sample in a sidecar index: its fixed-width row, and the overflow record
// with the facts that a row has no room for. Drawn in FORMAT.md. Nothing here
// reads or writes files.
#ifndef SHARDINE_SHARD_SHARD_INDEX_ROW_H_
#define SHARDINE_SHARD_SHARD_INDEX_ROW_H_

#include <cstdint>
#include <string>

#include "base/bytes.h"
#include "shard/shard_index.h"
#include "shardine/status.h"

namespace shardine {

// The overflow record of a sample, relative to the overflow area.
struct OverflowRef {
  std::uint64_t offset = 0;
  std::uint32_t bytes = 0;  // 0: the row says it all
};

// True for anything but the common photo: at most one label, and no field or
// one "image" of plain bytes in one extent.
bool NeedsOverflow(const IndexEntry& entry);
// The version of the layout that can hold it: 2 if fields have a CRC of their
// own.
std::uint32_t IndexVersionOf(const IndexEntry& entry);

void AppendIndexRow(const IndexEntry& entry, OverflowRef overflow,
                    std::string& rows);
// The record number binds the overflow record to its row.
void AppendOverflow(const IndexEntry& entry, std::uint64_t record,
                    std::string& overflow);

// The row's part of `entry`, whose memory is used again, whatever it held.
// REQUIRES: kIndexRowBytes.
Status DecodeIndexRow(ByteView row, IndexEntry& entry, OverflowRef& overflow);
// Adds the overflow's part. `bytes` is exactly one overflow record; `version`
// comes from the header.
Status DecodeOverflow(ByteView bytes, std::uint64_t record,
                      std::uint32_t version, IndexEntry& entry);

// Each extent lies inside a shard of that size, and all together are no longer
// than the shard; a field that is kNowhere has one and no other.
Status CheckExtents(const IndexEntry& entry, std::uint64_t shard_bytes);
// The fields' names and types are possible: no name is longer than
// kIndexMaxNameBytes, and each field has as many bytes as its type and shape
// take (CheckFieldType). REQUIRES: CheckExtents, so that no sum wraps.
Status CheckFields(const IndexEntry& entry);

}  // namespace shardine

#endif  // SHARDINE_SHARD_SHARD_INDEX_ROW_H_
