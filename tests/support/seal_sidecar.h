// Makes the CRCs of a sidecar index right again after its bytes were changed,
// as a forger would, so that tests reach the checks behind the CRCs.
#ifndef SHARDINE_TESTS_SUPPORT_SEAL_SIDECAR_H_
#define SHARDINE_TESTS_SUPPORT_SEAL_SIDECAR_H_

#include <algorithm>
#include <cstdint>
#include <string>

#include "base/checksum.h"
#include "shard/shard_index_layout.h"

namespace shardine {

// The CRC-32C of [begin, end) goes to `at`; nothing happens if there is no
// such place.
inline void SealBytes(std::string& bytes, std::uint64_t begin,
                      std::uint64_t end, std::uint64_t at) {
  if (begin > end || end > bytes.size() || bytes.size() - 4 < at) return;
  StoreLe(Crc32c(AsBytes(bytes).subspan(begin, end - begin)),
          std::as_writable_bytes(std::span(bytes)).data() + at);
}

// Every CRC that can be found by the header and the rows. A file shorter than
// its header is left alone.
inline void SealSidecar(std::string& bytes) {
  constexpr std::uint64_t kPage = kPageBytes;
  if (bytes.size() < kPage) return;
  const auto data = std::as_writable_bytes(std::span(bytes));
  const auto load = [&data](std::uint64_t at) {
    return LoadLe<std::uint64_t>(data.data() + at);
  };
  SealBytes(bytes, 0, kPage - 4, kPage - 4);
  const std::uint32_t header_crc = PageCrc(data.first(kPage));
  const std::uint64_t overflow = std::min<std::uint64_t>(load(24), data.size());
  for (std::uint64_t page = kPage; page + kPage <= overflow; page += kPage) {
    SealPage(page / kPage - 1, header_crc, data.subspan(page, kPage));
    for (std::uint64_t i = 0; i < kIndexRowsPerPage; ++i) {
      const std::uint64_t row = page + i * kIndexRowBytes;
      const std::uint64_t begin = overflow + load(row + 48);
      const std::uint64_t size = LoadLe<std::uint32_t>(data.data() + row + 56);
      if (size < 4 || begin < overflow) continue;
      SealBytes(bytes, begin, begin + size - 4, begin + size - 4);
    }
  }
  for (std::uint64_t at = load(40), i = 0;
       at <= data.size() && data.size() - at >= kIndexDirectoryBytes;
       at += kIndexDirectoryBytes, ++i) {
    const auto entry = data.subspan(at, kIndexDirectoryBytes);
    KeyFrame frame{load(at), LoadLe<std::uint32_t>(entry.data() + 8),
                   LoadLe<std::uint32_t>(entry.data() + 12), 0};
    SealBytes(bytes, frame.offset, frame.offset + frame.stored_bytes, at + 16);
    frame.crc = LoadLe<std::uint32_t>(entry.data() + 16);
    EncodeKeyFrame(frame, i, header_crc, entry);
  }
}

}  // namespace shardine

#endif  // SHARDINE_TESTS_SUPPORT_SEAL_SIDECAR_H_
