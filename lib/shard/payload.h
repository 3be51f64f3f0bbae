// The payload of a sample: read from the open shard by the extents of its
// index entry.
#ifndef SHARDINE_SHARD_PAYLOAD_H_
#define SHARDINE_SHARD_PAYLOAD_H_

#include <algorithm>
#include <functional>
#include <span>
#include <vector>

#include "base/bytes.h"
#include "io/read_many.h"
#include "io/storage.h"
#include "shard/shard_index.h"
#include "shardine/sample.h"
#include "shardine/status.h"

namespace shardine {

// So many bytes: the payload, and gaps in it of as much again, or of 64 KiB.
using PayloadRoom = std::function<std::span<std::byte>(std::size_t bytes)>;

// A payload on its way, so that the payloads of many samples are read together:
// Start, a ReadMany of the pieces it added, Finish. Failures are as of
// ReadPayload. Its memory is used again.
class PayloadRead {
 public:
  // `shard` and `entry` must stay as they are until Finish().
  Status Start(const RandomAccessFile& shard, const IndexEntry& entry,
               const PayloadRoom& room, std::vector<Piece>& pieces);
  // Bytes that do not agree with their CRC are read once more where the storage
  // may have other bytes then.
  Result<ByteView> Finish(std::span<const Piece> pieces);

 private:
  Result<ByteView> Join(std::span<const Piece> pieces) const;

  const RandomAccessFile* shard_ = nullptr;
  const IndexEntry* entry_ = nullptr;
  std::span<std::byte> room_;
  std::size_t first_ = 0;  // piece; one for each run of extents
  std::size_t count_ = 0;
};

// Reads the bytes of all fields of a sample, joined in order, and compares
// their CRC-32C, of each field where it has one. kCorrupt with path and byte,
// of bytes on a server when they were wrong twice
// (RandomAccessFile::ReadAgain); the caller, which knows record and key,
// annotates them. kUnsupported if a field is kNowhere in the shard, naming it.
// The room is asked for once it is known that the shard has so much; the
// payload is the front of it.
Result<ByteView> ReadPayload(const RandomAccessFile& shard,
                             const IndexEntry& entry, const PayloadRoom& room);
// The same, in place of the buffer's contents.
Status ReadPayload(const RandomAccessFile& shard, const IndexEntry& entry,
                   ByteBuffer& payload);
// The same, appended to the buffer; on failure it is as before.
Status AppendPayload(const RandomAccessFile& shard, const IndexEntry& entry,
                     ByteBuffer& buffer);

// Leaves the fields of an entry for which `keep` is true, so that a read with
// it covers them alone. Leaves all if one of them cannot be checked alone: an
// index of version 1 has one CRC for all.
template <typename Keep>
void KeepFields(const Keep& keep, IndexEntry& entry) {
  const auto drops = [&](const IndexField& field) { return !keep(field); };
  const auto is_left = [&](const IndexField& field) {
    return drops(field) || field.crc.has_value();
  };
  if (std::ranges::none_of(entry.fields, drops)) return;
  if (std::ranges::all_of(entry.fields, is_left)) {
    std::erase_if(entry.fields, drops);
  }
}

// A word for why a payload cannot be read that failed by kCorrupt: "cut-off" if
// the shard ends before it does, else "checksum".
const char* WhyUnread(const IndexEntry& entry, std::uint64_t shard_bytes);

// False if the field is kNowhere in the shard.
bool HasExtents(const IndexField& field);
// False if one of its fields is.
bool HasExtents(const IndexEntry& entry);
// kUnsupported, naming the first field that is kNowhere and the way out.
// REQUIRES: !HasExtents(entry).
Status NotInShard(const IndexEntry& entry);
// Bytes of one field, and of all together.
std::uint64_t FieldBytes(const IndexField& field);
std::uint64_t PayloadBytes(const IndexEntry& entry);

// The fields of a payload that ReadPayload read for the same entry. Views of
// both. REQUIRES: the payload is as long as the entry's extents.
std::vector<FieldView> FieldsOf(const IndexEntry& entry, ByteView payload);

}  // namespace shardine

#endif  // SHARDINE_SHARD_PAYLOAD_H_
