#include "dataset/index_walk.h"

#include <algorithm>
#include <vector>

#include "base/status_macros.h"
#include "shard/extent.h"
#include "shard/shard_index_layout.h"
#include "shardine/sample.h"

namespace shardine {
namespace {

// Entries read at a time: a multiple of the records that share a page or a
// frame. Keys come by the frame: a few compressed bytes may be 16 MiB of them.
constexpr std::uint64_t kRecordsAtOnce = 4096;

// Samples may have bytes in common, as rows of HDF5 of one object, but no small
// shard makes an output of any size.
constexpr std::uint64_t kMostTimes = 2;

std::uint64_t BytesInShard(const IndexEntry& entry) {
  std::uint64_t bytes = 0;
  for (const IndexField& field : entry.fields) {
    for (const Extent& extent : field.extents) {
      if (extent.offset != kNowhere) bytes += extent.length;
    }
  }
  return bytes;
}

}  // namespace

Status WalkIndex(
    const ShardIndex& index,
    const std::function<Status(std::uint64_t record, const IndexEntry& entry,
                               const std::string& key)>& visit) {
  std::vector<IndexEntry> entries;
  std::vector<std::string> keys;
  std::uint64_t left = kMostTimes * index.binding().shard_bytes;
  for (std::uint64_t first = 0; first < index.size(); first += kRecordsAtOnce) {
    const std::uint64_t count = std::min(kRecordsAtOnce, index.size() - first);
    SHARDINE_RETURN_IF_ERROR(index.Entries(first, count, entries));
    for (std::uint64_t i = 0; i < count; ++i) {
      const std::uint64_t in_frame = i % kIndexKeysPerFrame;
      if (in_frame == 0) {
        SHARDINE_RETURN_IF_ERROR(index.Keys(
            first + i, std::min(kIndexKeysPerFrame, count - i), keys));
      }
      const std::uint64_t bytes = BytesInShard(entries[i]);
      if (bytes > left) {
        return DamagedIndex("samples that share the bytes of their shard")
            .At({.path = index.path(), .record = first + i});
      }
      left -= bytes;
      SHARDINE_RETURN_IF_ERROR(visit(first + i, entries[i], keys[in_frame]));
    }
  }
  return {};
}

const IndexField* ImageFieldOf(const IndexEntry& entry) {
  const auto found =
      std::ranges::find(entry.fields, kImageField, &IndexField::name);
  return found == entry.fields.end() ? nullptr : &*found;
}

std::optional<std::uint32_t> ImageCrcOf(const IndexEntry& entry,
                                        const IndexField& image) {
  return entry.fields.size() == 1 ? entry.payload_crc : image.crc;
}

}  // namespace shardine
