// Entry-point files in memory, and forged ones: with CRCs that fit whatever
// was changed.
#ifndef SHARDINE_TESTS_SUPPORT_ENTRY_POINT_FIXTURE_H_
#define SHARDINE_TESTS_SUPPORT_ENTRY_POINT_FIXTURE_H_

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "base/checksum.h"
#include "shard/entry_point_layout.h"

namespace shardine {

// The entry points of a sample in a file.
struct StoredEntryPoints {
  std::uint32_t payload_crc = 0;
  std::string packed;  // empty: none

  friend bool operator==(const StoredEntryPoints&,
                         const StoredEntryPoints&) = default;
};

// Reads samples [first, first + count), replacing the vector's contents.
inline Status ReadPoints(const EntryPointFile& file, std::uint64_t first,
                         std::uint64_t count,
                         std::vector<StoredEntryPoints>& points) {
  points.clear();
  return file.ForEach(
      first, count,
      [&](std::uint64_t, std::uint32_t payload_crc, ByteView packed) {
        points.push_back({payload_crc, std::string(AsText(packed))});
        return Status();
      });
}

// Every CRC that can be found by the header and the rows. A file shorter than
// its header is left alone.
inline void SealEntryPoints(std::string& bytes) {
  if (bytes.size() < kPageBytes) return;
  const auto data = std::as_writable_bytes(std::span(bytes));
  const auto header = data.last(kPageBytes);
  StoreLe(PageCrc(header), header.data() + kPageBytes - 4);
  const std::uint64_t end = data.size() - kPageBytes;
  std::uint64_t at = LoadLe<std::uint64_t>(header.data() + 40);
  if (at > end) return;
  for (std::uint64_t n = 0; end - at >= kPageBytes; at += kPageBytes, ++n) {
    const auto page = data.subspan(at, kPageBytes);
    for (std::uint64_t i = 0; i < kEntryPointRowsPerPage; ++i) {
      std::byte* const row = page.data() + i * kEntryPointRowBytes;
      const auto offset = LoadLe<std::uint64_t>(row);
      const auto size = LoadLe<std::uint32_t>(row + 8);
      if (offset > data.size() || size > data.size() - offset) continue;
      StoreLe(Crc32c(data.subspan(offset, size)), row + 16);
    }
    SealPage(n, PageCrc(header), page);
  }
}

}  // namespace shardine

#endif  // SHARDINE_TESTS_SUPPORT_ENTRY_POINT_FIXTURE_H_
