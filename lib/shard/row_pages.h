// RowPages: the pages of rows of an open companion (.sdx, .sde). Each is
// checked when it is read, and kept for the next row on it.
#ifndef SHARDINE_SHARD_ROW_PAGES_H_
#define SHARDINE_SHARD_ROW_PAGES_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/bytes.h"
#include "io/read_many.h"
#include "io/storage.h"
#include "shard/page_cache.h"
#include "shard/sealed_page.h"
#include "shardine/status.h"

namespace shardine {

// A row on its way: copied from a page that was kept, or on one of the pieces
// that are still to be read, which rows of the same page share.
struct RowRead {
  static constexpr std::size_t kKept = ~std::size_t{0};
  static constexpr std::size_t kMostBytes = 80;  // of a row of any companion

  std::uint64_t page = 0;
  std::size_t at = 0;                     // its first byte on the page
  std::size_t piece = kKept;              // of the list that Start() was given
  std::array<std::byte, kMostBytes> row;  // if its page was kept
  ByteBuffer bytes;                       // room for the page, if it was not
};

// Thread-safe.
class RowPages {
 public:
  // CheckPage() for one kind of companion.
  using PageCheck = Status (*)(std::uint64_t page, std::uint32_t header_crc,
                               ByteView bytes);

  // Page 0 lies at `begin` of the file, which must outlive this. `pages` may be
  // null: then none is kept.
  RowPages(const RandomAccessFile& file, PageCheck check, std::uint64_t begin,
           std::uint32_t header_crc, std::shared_ptr<PageCache> pages);

  std::uint64_t OffsetOf(std::uint64_t page) const {
    return begin_ + page * kPageBytes;
  }

  // Reads a whole number of pages, and keeps no page: for readers of all pages.
  // kCorrupt with path and byte; `failed` is the page.
  Status Read(std::uint64_t first, std::span<std::byte> pages,
              std::uint64_t& failed) const;

  // Finds the row of `row_bytes` from byte `at` of the page on, or adds the
  // page to the pieces to be read.
  void Start(std::uint64_t page, std::size_t at, std::size_t row_bytes,
             RowRead& row, std::vector<Piece>& pieces) const;
  // After the pieces were read. Failures as of Read. The view is of `row`, or
  // of the one that has room for the page.
  Result<ByteView> Finish(const RowRead& row, std::size_t row_bytes,
                          std::span<const Piece> pieces) const;

 private:
  Status Check(std::uint64_t page, ByteView bytes) const;

  const RandomAccessFile& file_;
  const PageCheck check_;
  const std::uint64_t begin_;
  const std::uint32_t header_crc_;
  const std::shared_ptr<PageCache> pages_;
  const std::uint64_t name_;  // of the file, in the cache
};

}  // namespace shardine

#endif  // SHARDINE_SHARD_ROW_PAGES_H_
