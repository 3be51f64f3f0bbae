// The fixed parts of a sidecar index: header page, row pages, key directory.
// Drawn in FORMAT.md. Nothing here reads or writes files.
#ifndef SHARDINE_SHARD_SHARD_INDEX_LAYOUT_H_
#define SHARDINE_SHARD_SHARD_INDEX_LAYOUT_H_

#include <cstdint>
#include <string_view>

#include "base/bytes.h"
#include "shard/sealed_page.h"
#include "shard/shard_index.h"
#include "shardine/status.h"

namespace shardine {

inline constexpr std::size_t kIndexRowBytes = 80;
inline constexpr std::uint64_t kIndexRowsPerPage = 51;
inline constexpr std::uint64_t kIndexKeysPerFrame = 256;
inline constexpr std::size_t kIndexDirectoryBytes = 24;  // per frame
// The limits of a key, and of a field's name.
inline constexpr std::size_t kIndexMaxKeyBytes = 65536;
inline constexpr std::size_t kIndexMaxNameBytes = 65536;
// The limit of one frame before compression: the most that a hostile frame can
// make a reader allocate.
inline constexpr std::size_t kIndexMaxFrameBytes =
    kIndexKeysPerFrame * (sizeof(std::uint32_t) + kIndexMaxKeyBytes);
// Beyond this a frame has at most kZstdMostRatio bytes for each stored one.
// Keys that are paths do not come near it.
inline constexpr std::size_t kIndexFreeKeyBytes = std::size_t{1} << 20;

constexpr std::uint64_t IndexPages(std::uint64_t samples) {
  return samples / kIndexRowsPerPage + (samples % kIndexRowsPerPage ? 1 : 0);
}
constexpr std::uint64_t IndexFrames(std::uint64_t samples) {
  return samples / kIndexKeysPerFrame + (samples % kIndexKeysPerFrame ? 1 : 0);
}

// The first page. Sections follow one another without a gap.
struct IndexHeader {
  // 2 if an overflow record has CRCs of fields, else 1.
  std::uint32_t version = 1;
  std::uint64_t samples = 0;
  std::uint64_t overflow_offset = 0;   // end of the row pages
  std::uint64_t frames_offset = 0;     // end of the overflow area
  std::uint64_t directory_offset = 0;  // end of the key frames
  std::uint64_t file_bytes = 0;        // end of the directory
  IndexBinding binding;
};

// REQUIRES: one page. Fills all of it.
void EncodeIndexHeader(const IndexHeader& header, std::span<std::byte> page);
// Checks all facts in the header against each other and the file's real size,
// so that the result can be trusted as far as offsets go.
Result<IndexHeader> DecodeIndexHeader(ByteView page, std::uint64_t file_bytes);

// As CheckPage().
Status CheckIndexPage(std::uint64_t number, std::uint32_t header_crc,
                      ByteView page);

// Where the keys [256 frame, 256 frame + 256) are.
struct KeyFrame {
  std::uint64_t offset = 0;        // in the file
  std::uint32_t stored_bytes = 0;  // compressed
  std::uint32_t key_bytes = 0;     // after decompression
  std::uint32_t crc = 0;           // CRC-32C of the stored bytes
};

// REQUIRES: kIndexDirectoryBytes. `number` is the frame's.
void EncodeKeyFrame(const KeyFrame& frame, std::uint64_t number,
                    std::uint32_t header_crc, std::span<std::byte> entry);
// Checked against the header: the frame lies in the section for frames.
Result<KeyFrame> DecodeKeyFrame(ByteView entry, std::uint64_t number,
                                std::uint32_t header_crc,
                                const IndexHeader& header);

// kCorrupt: "sidecar index: " and `what`.
Status DamagedIndex(std::string_view what);

}  // namespace shardine

#endif  // SHARDINE_SHARD_SHARD_INDEX_LAYOUT_H_
