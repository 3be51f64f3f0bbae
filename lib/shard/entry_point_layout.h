// The fixed parts of an entry-point file: header page and rows. Drawn in
// FORMAT.md. Nothing here reads or writes files.
#ifndef SHARDINE_SHARD_ENTRY_POINT_LAYOUT_H_
#define SHARDINE_SHARD_ENTRY_POINT_LAYOUT_H_

#include <cstdint>

#include "base/bytes.h"
#include "shard/entry_point_file.h"
#include "shard/sealed_page.h"
#include "shardine/status.h"

namespace shardine {

inline constexpr std::size_t kEntryPointRowBytes = 20;
inline constexpr std::uint64_t kEntryPointRowsPerPage = 204;
static_assert(kEntryPointRowsPerPage * kEntryPointRowBytes == kPageBodyBytes);

constexpr std::uint64_t EntryPointPages(std::uint64_t samples) {
  return samples / kEntryPointRowsPerPage +
         (samples % kEntryPointRowsPerPage ? 1 : 0);
}

// The last page.
struct EntryPointHeader {
  std::uint64_t samples = 0;
  EntryPointCounts counts;
  std::uint64_t directory_offset = 0;  // end of the points
  std::uint64_t file_bytes = 0;
  IndexBinding binding;
};

// REQUIRES: one page. Fills all of it.
void EncodeEntryPointHeader(const EntryPointHeader& header,
                            std::span<std::byte> page);
// Checks everything the header says against itself and the file's real size.
Result<EntryPointHeader> DecodeEntryPointHeader(ByteView page,
                                                std::uint64_t file_bytes);

// Where the points of one sample are.
struct EntryPointRow {
  std::uint64_t offset = 0;
  std::uint32_t bytes = 0;
  std::uint32_t payload_crc = 0;
  std::uint32_t crc = 0;  // CRC-32C of the points
};

// REQUIRES, here and below: kEntryPointRowBytes.
void EncodeEntryPointRow(const EntryPointRow& row, std::span<std::byte> to);
// Checked against the header: the points lie in their section.
Result<EntryPointRow> DecodeEntryPointRow(ByteView from,
                                          const EntryPointHeader& header);

Status CheckEntryPointPage(std::uint64_t number, std::uint32_t header_crc,
                           ByteView page);

// kCorrupt: "entry points: " and `what`.
Status DamagedEntryPoints(std::string_view what);

}  // namespace shardine

#endif  // SHARDINE_SHARD_ENTRY_POINT_LAYOUT_H_
