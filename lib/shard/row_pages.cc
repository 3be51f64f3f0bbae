#include "shard/row_pages.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "base/status_macros.h"

namespace shardine {

RowPages::RowPages(const RandomAccessFile& file, PageCheck check,
                   std::uint64_t begin, std::uint32_t header_crc,
                   std::shared_ptr<PageCache> pages)
    : file_(file),
      check_(check),
      begin_(begin),
      header_crc_(header_crc),
      pages_(std::move(pages)),
      name_(pages_ == nullptr ? 0 : pages_->NameFile()) {}

Status RowPages::Check(std::uint64_t page, ByteView bytes) const {
  Status status = check_(page, header_crc_, bytes);
  if (status.ok()) return status;
  return std::move(status).At({.path = file_.path(), .offset = OffsetOf(page)});
}

Status RowPages::Read(std::uint64_t first, std::span<std::byte> pages,
                      std::uint64_t& failed) const {
  failed = first;
  SHARDINE_RETURN_IF_ERROR(file_.ReadExactly(OffsetOf(first), pages));
  for (; !pages.empty(); ++failed, pages = pages.subspan(kPageBytes)) {
    SHARDINE_RETURN_IF_ERROR(Check(failed, pages.first(kPageBytes)));
  }
  return {};
}

void RowPages::Start(std::uint64_t page, std::size_t at, std::size_t row_bytes,
                     RowRead& row, std::vector<Piece>& pieces) const {
  SHARDINE_CHECK(row_bytes <= RowRead::kMostBytes);
  row.page = page;
  row.at = at;
  row.piece = RowRead::kKept;
  if (pages_ != nullptr &&
      pages_->Find(name_, page, at, std::span(row.row).first(row_bytes))) {
    return;
  }
  const auto same = std::ranges::find_if(pieces, [&](const Piece& piece) {
    return piece.file == &file_ && piece.offset == OffsetOf(page);
  });
  row.piece = static_cast<std::size_t>(same - pieces.begin());
  if (same == pieces.end()) {
    row.bytes.Resize(kPageBytes);
    pieces.push_back({&file_, OffsetOf(page), row.bytes.span()});
  }
}

Result<ByteView> RowPages::Finish(const RowRead& row, std::size_t row_bytes,
                                  std::span<const Piece> pieces) const {
  if (row.piece == RowRead::kKept) {
    return ByteView(row.row).first(row_bytes);
  }
  const Piece& piece = pieces[row.piece];
  SHARDINE_RETURN_IF_ERROR(piece.status);
  const ByteView page = piece.out;
  SHARDINE_RETURN_IF_ERROR(Check(row.page, page));
  if (pages_ != nullptr) pages_->Keep(name_, row.page, page);
  return page.subspan(row.at, row_bytes);
}

}  // namespace shardine
