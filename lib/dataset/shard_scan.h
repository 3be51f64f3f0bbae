// ShardScan: the result of reading a whole shard, and the bytes in which it is
// kept for the next opening: lib/cache/FORMAT.md.
#ifndef SHARDINE_DATASET_SHARD_SCAN_H_
#define SHARDINE_DATASET_SHARD_SCAN_H_

#include <cstdint>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "cache/kept_scan.h"
#include "dataset/class_names.h"
#include "dataset/fields_without_extents.h"
#include "dataset/image_census.h"
#include "dataset/text_fields.h"
#include "dataset/undecoded_images.h"
#include "io/memory_storage.h"

namespace shardine {

// All of a scan but its sidecar.
struct ShardScan {
  void Add(const IndexEntry& entry);
  bool all_have_ids() const { return ids.size() == samples; }

  std::vector<std::uint64_t> ids;  // of the records that have one
  std::uint64_t samples = 0;
  const Format* format = nullptr;
  FieldsWithoutExtents nowhere;
  ImageCensus images;
  std::vector<ManifestKind> undecoded;
  ScannedTexts texts;
  ClassNames classes;
  std::vector<std::string> warnings;  // as ShardScanner has them
  ScanUse use = ScanUse::kNotKept;
};

// Adds the samples of a sidecar, whose classes are the folders in the keys.
Status AddSidecar(const ShardIndex& index, ShardScan& scan);

// The text that ties a kept scan to its shard: absolute path, size, time of the
// last change, inode, layout, and the version of this program. Empty: no local
// file, or one that changed a moment ago and may change again unseen.
std::string ShardStamp(const std::string& path, const FileInfo& info,
                       const std::string& layout);

std::string EncodeScan(const std::string& stamp, const ShardScan& scan,
                       const std::string& sidecar);
// Puts the sidecar at `path` in `sidecars`, and fills `scan` but for its
// format. False: the bytes are not of EncodeScan() with this stamp, or no
// sidecar of a shard of `shard_bytes` bytes.
bool DecodeScan(ByteView bytes, const std::string& stamp,
                std::uint64_t shard_bytes, MemoryStorage& sidecars,
                const std::string& path, ShardScan& scan);

}  // namespace shardine

#endif  // SHARDINE_DATASET_SHARD_SCAN_H_
