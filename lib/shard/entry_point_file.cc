#include "shard/entry_point_file.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "base/check.h"
#include "base/checksum.h"
#include "base/status_macros.h"
#include "shard/entry_point_layout.h"

namespace shardine {
namespace {

// About 2 MB of points of photos. Points beyond the bound are read sample by
// sample, however many they are.
constexpr std::uint64_t kPagesPerRead = 4;
constexpr std::uint64_t kBytesPerRead = std::uint64_t{4} << 20;

Status CheckPoints(std::uint32_t crc, ByteView packed) {
  if (Crc32c(packed) == crc) return Status();
  return DamagedEntryPoints("those of an image do not match their CRC");
}

}  // namespace

struct EntryPointFile::Parts {
  std::unique_ptr<RandomAccessFile> file;
  EntryPointHeader header;
  std::optional<RowPages> pages;

  std::uint64_t OffsetOfPage(std::uint64_t page) const {
    return pages->OffsetOf(page);
  }
  Result<EntryPointRow> Decode(ByteView row, std::uint64_t record) const;
  // The rows of records [first, end), which lie in one page after the other
  // without a gap, as writers leave them.
  Result<std::vector<EntryPointRow>> Rows(std::uint64_t first,
                                          std::uint64_t end) const;
  // Hands over the points of the rows, the first of which is of record `first`.
  Status Visit(std::uint64_t first, const std::vector<EntryPointRow>& rows,
               const Visitor& visit) const;
  Where At(std::uint64_t offset, std::uint64_t record) const {
    return {.path = file->path(), .offset = offset, .record = record};
  }
};

Result<EntryPointRow> EntryPointFile::Parts::Decode(
    ByteView row, std::uint64_t record) const {
  auto decoded = DecodeEntryPointRow(row, header);
  if (decoded.ok()) return decoded;
  const std::size_t at = record % kEntryPointRowsPerPage * kEntryPointRowBytes;
  return std::move(decoded).status().At(
      At(OffsetOfPage(record / kEntryPointRowsPerPage) + at, record));
}

Result<std::vector<EntryPointRow>> EntryPointFile::Parts::Rows(
    std::uint64_t first, std::uint64_t end) const {
  const std::uint64_t first_page = first / kEntryPointRowsPerPage;
  const std::uint64_t count = EntryPointPages(end) - first_page;
  ByteBuffer bytes;
  bytes.Resize(static_cast<std::size_t>(count * kPageBytes));
  std::uint64_t failed = 0;
  Status read = pages->Read(first_page, bytes.span(), failed);
  if (!read.ok()) return std::move(read).At({.record = first});
  std::vector<EntryPointRow> rows;
  rows.reserve(static_cast<std::size_t>(end - first));
  std::uint64_t next = 0;
  for (std::uint64_t record = first; record < end; ++record) {
    const std::uint64_t page = record / kEntryPointRowsPerPage;
    const std::size_t at =
        (page - first_page) * kPageBytes +
        record % kEntryPointRowsPerPage * kEntryPointRowBytes;
    SHARDINE_ASSIGN_OR_RETURN(
        const EntryPointRow row,
        Decode(bytes.view().subspan(at, kEntryPointRowBytes), record));
    // The row before is not read, so a range in the middle begins where its
    // first row says; record 0 begins at 0.
    if (record == first && record > 0) next = row.offset;
    const bool last = record + 1 == header.samples;
    if (row.offset != next ||
        (last && row.offset + row.bytes != header.directory_offset)) {
      return DamagedEntryPoints("there is a gap between rows")
          .At(At(OffsetOfPage(page), record));
    }
    next += row.bytes;
    rows.push_back(row);
  }
  return rows;
}

Status EntryPointFile::Parts::Visit(std::uint64_t first,
                                    const std::vector<EntryPointRow>& rows,
                                    const Visitor& visit) const {
  ByteBuffer bytes;
  std::uint64_t begin = 0;  // of `bytes`, in the file
  std::size_t held = 0;     // rows whose points are in `bytes`
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const EntryPointRow& row = rows[i];
    if (i == held) {
      begin = row.offset;
      std::uint64_t size = row.bytes;
      // One image with more than kBytesPerRead is read all the same, alone; its
      // row was checked against kMaxEntryPointBytes.
      for (++held; held < rows.size(); ++held) {
        if (size + rows[held].bytes > kBytesPerRead) break;
        size += rows[held].bytes;
      }
      bytes.Resize(static_cast<std::size_t>(size));
      SHARDINE_RETURN_IF_ERROR(file->ReadExactly(begin, bytes.span()));
    }
    const ByteView packed = bytes.view().subspan(row.offset - begin, row.bytes);
    Status status = CheckPoints(row.crc, packed);
    if (status.ok()) status = visit(first + i, row.payload_crc, packed);
    if (!status.ok()) return std::move(status).At(At(row.offset, first + i));
  }
  return Status();
}

EntryPointFile::EntryPointFile(std::unique_ptr<Parts> parts)
    : parts_(std::move(parts)) {}
EntryPointFile::~EntryPointFile() = default;

Result<std::unique_ptr<EntryPointFile>> EntryPointFile::Open(
    ReadableStorage& storage, const std::string& path,
    std::shared_ptr<PageCache> pages) {
  SHARDINE_ASSIGN_OR_RETURN(auto file, storage.Open(path));
  return Open(std::move(file), std::move(pages));
}

Result<std::unique_ptr<EntryPointFile>> EntryPointFile::Open(
    std::unique_ptr<RandomAccessFile> file, std::shared_ptr<PageCache> pages) {
  auto parts = std::make_unique<Parts>();
  parts->file = std::move(file);
  const std::string& path = parts->file->path();
  const std::uint64_t bytes = parts->file->size();
  if (bytes < kPageBytes) {
    return DamagedEntryPoints("shorter than a header")
        .At({.path = path, .offset = 0});
  }
  std::array<std::byte, kPageBytes> page;
  // The header is the last page: the file is written front to back, and the
  // header's facts are known at the end only.
  const std::uint64_t offset = bytes - kPageBytes;
  SHARDINE_RETURN_IF_ERROR(parts->file->ReadExactly(offset, page));
  Result<EntryPointHeader> header = DecodeEntryPointHeader(page, bytes);
  if (!header.ok()) {
    return std::move(header).status().At({.path = path, .offset = offset});
  }
  parts->header = *header;
  parts->pages.emplace(*parts->file, CheckEntryPointPage,
                       header->directory_offset, PageCrc(page),
                       std::move(pages));
  return std::unique_ptr<EntryPointFile>(new EntryPointFile(std::move(parts)));
}

std::uint64_t EntryPointFile::size() const { return parts_->header.samples; }

const EntryPointCounts& EntryPointFile::counts() const {
  return parts_->header.counts;
}

const IndexBinding& EntryPointFile::binding() const {
  return parts_->header.binding;
}

const std::string& EntryPointFile::path() const { return parts_->file->path(); }

// Points of neighbours are neighbours: rows of the first and the last record
// say where all of them lie.
std::vector<std::shared_ptr<const void>> EntryPointFile::ReadAhead(
    std::uint64_t first, std::uint64_t count, std::uint64_t& room) const {
  SHARDINE_CHECK(count > 0 && first <= size() && count <= size() - first);
  const std::uint64_t last = first + count - 1;
  const std::uint64_t page = first / kEntryPointRowsPerPage;
  const std::uint64_t pages = EntryPointPages(last + 1) - page;
  std::vector<std::shared_ptr<const void>> kept;
  kept.push_back(parts_->file->ReadAhead(parts_->OffsetOfPage(page),
                                         pages * kPageBytes, room));
  std::array<EntryPointRead, 2> ends;
  std::vector<Piece> pieces;
  Start(first, ends[0], pieces);
  Start(last, ends[1], pieces);
  ReadMany(pieces);
  std::array<EntryPointRow, 2> rows;
  for (std::size_t i = 0; i < ends.size(); ++i) {
    const auto bytes =
        parts_->pages->Finish(ends[i].row, kEntryPointRowBytes, pieces);
    if (!bytes.ok()) return kept;
    const auto row = parts_->Decode(*bytes, ends[i].record);
    if (!row.ok()) return kept;
    rows[i] = *row;
  }
  const std::uint64_t end = rows[1].offset + rows[1].bytes;
  if (end <= rows[0].offset) return kept;
  kept.push_back(
      parts_->file->ReadAhead(rows[0].offset, end - rows[0].offset, room));
  return kept;
}

Status EntryPointFile::Read(std::uint64_t record, std::uint32_t payload_crc,
                            ByteBuffer& packed, std::uint64_t most) const {
  EntryPointRead read;
  std::vector<Piece> pieces;
  Start(record, read, pieces);
  ReadMany(pieces);
  std::vector<Piece> points;
  SHARDINE_RETURN_IF_ERROR(
      Locate(pieces, {payload_crc, most}, read, packed, points));
  ReadMany(points);
  return Finish(points, read, packed);
}

void EntryPointFile::Start(std::uint64_t record, EntryPointRead& read,
                           std::vector<Piece>& pieces) const {
  SHARDINE_CHECK(record < size());
  read.record = record;
  parts_->pages->Start(record / kEntryPointRowsPerPage,
                       record % kEntryPointRowsPerPage * kEntryPointRowBytes,
                       kEntryPointRowBytes, read.row, pieces);
}

Status EntryPointFile::Locate(std::span<const Piece> pieces,
                              const Wanted& wanted, EntryPointRead& read,
                              ByteBuffer& packed,
                              std::vector<Piece>& points) const {
  read.piece = EntryPointRead::kNoPiece;
  auto found = parts_->pages->Finish(read.row, kEntryPointRowBytes, pieces);
  if (!found.ok()) return std::move(found).status().At({.record = read.record});
  SHARDINE_ASSIGN_OR_RETURN(const EntryPointRow row,
                            parts_->Decode(*found, read.record));
  const Where where = parts_->At(row.offset, read.record);
  // Points that were found in other bytes would decode to nonsense: shard and
  // sidecar may have been replaced beside an older file.
  if (row.payload_crc != wanted.payload_crc) {
    return DamagedEntryPoints("made for another payload").At(where);
  }
  if (row.bytes > wanted.most) {
    return DamagedEntryPoints("more of them than their image can have")
        .At(where);
  }
  packed.Resize(row.bytes);
  if (row.bytes == 0) return {};
  read.offset = row.offset;
  read.crc = row.crc;
  read.piece = points.size();
  points.push_back({parts_->file.get(), row.offset, packed.span()});
  return {};
}

Status EntryPointFile::Finish(std::span<const Piece> points,
                              const EntryPointRead& read,
                              const ByteBuffer& packed) const {
  if (read.piece == EntryPointRead::kNoPiece) return {};
  SHARDINE_RETURN_IF_ERROR(points[read.piece].status);
  return CheckPoints(read.crc, packed.view())
      .At(parts_->At(read.offset, read.record));
}

Status EntryPointFile::ForEach(std::uint64_t first, std::uint64_t count,
                               const Visitor& visit) const {
  SHARDINE_CHECK(first <= size() && count <= size() - first);
  const std::uint64_t end = first + count;
  std::uint64_t images = 0;
  for (std::uint64_t record = first; record < end;) {
    const std::uint64_t page = record / kEntryPointRowsPerPage + kPagesPerRead;
    const std::uint64_t stop = std::min(end, page * kEntryPointRowsPerPage);
    SHARDINE_ASSIGN_OR_RETURN(const std::vector<EntryPointRow> rows,
                              parts_->Rows(record, stop));
    SHARDINE_RETURN_IF_ERROR(parts_->Visit(record, rows, visit));
    for (const EntryPointRow& row : rows) images += row.bytes > 0 ? 1 : 0;
    record = stop;
  }
  if (count == size() && images != counts().images) {
    return DamagedEntryPoints("other images have some than the header says")
        .At({.path = path()});
  }
  return Status();
}

Status CheckBelongs(const EntryPointFile& points, const ShardIndex& index) {
  const char* what = nullptr;
  if (points.binding() != index.binding()) {
    what = "stale entry points: those of another shard or pack";
  } else if (points.size() != index.size()) {
    what = "stale entry points: those of another number of samples";
  }
  if (what == nullptr) return Status();
  return Status(Code::kCorrupt, what).At({.path = points.path()});
}

std::string EntryPointName(const std::string& sidecar) {
  SHARDINE_CHECK(sidecar.ends_with(kSidecarSuffix));
  return sidecar.substr(0, sidecar.size() - kSidecarSuffix.size()) +
         std::string(kEntryPointSuffix);
}

}  // namespace shardine
