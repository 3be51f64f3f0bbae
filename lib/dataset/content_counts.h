// ContentCounts: how many samples of a split have a label, an image of each
// kind, and other fields, as the manifest counts them.
#ifndef SHARDINE_DATASET_CONTENT_COUNTS_H_
#define SHARDINE_DATASET_CONTENT_COUNTS_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/field_counts.h"
#include "dataset/manifest.h"
#include "shard/shard_index.h"
#include "shardine/contents.h"

namespace shardine {

// The most fields beside the image whose absence a manifest counts.
inline constexpr std::size_t kMostCountedFields = 100;

struct ContentCounts {
  std::uint64_t unlabelled = 0;
  std::uint64_t images = 0;
  std::uint64_t deep = 0;                  // of them, have 16 bits a channel
  std::uint64_t others = 0;                // of them, are no JPEG or PNG
  std::vector<ManifestKind> unsupported;   // of them, are not decoded, by kind
  FieldCounts fields{kMostCountedFields};  // beside the image

  void Add(const IndexEntry& entry);
  // A sample has a field of that name.
  void AddField(std::string_view name);
  void Add(const ContentCounts& more);

  // Whether so many samples can have them.
  bool CanBeOf(std::uint64_t samples) const;

  friend bool operator==(const ContentCounts&, const ContentCounts&) = default;
};

// Sets `unlabelled`, `deep`, `unsupported` and `lacking` of all splits of a
// dataset. A field of one split lacks in the others. REQUIRES: counts[i] are
// those of splits[i].
void StoreCounts(std::span<const ContentCounts> counts,
                 std::span<ManifestSplit> splits);

// All that the splits hold, with all counted fields.
DatasetContents ContentsOf(std::span<const ContentCounts> counts,
                           std::uint64_t samples);
// The contents by the manifest: of the fields beside the image, those that some
// samples lack.
DatasetContents ContentsOf(const Manifest& manifest);

}  // namespace shardine

#endif  // SHARDINE_DATASET_CONTENT_COUNTS_H_
