#include "shard/entry_point_file.h"

#include <algorithm>
#include <array>

#include "base/check.h"
#include "base/checksum.h"
#include "base/status_macros.h"
#include "shard/entry_point_layout.h"

namespace shardine {
namespace {

// About 2 MB of points of photos. What rows say beyond that is read sample by
// sample, however many they have.
constexpr std::uint64_t kPagesPerRead = 4;
constexpr std::uint64_t kBytesPerRead = std::uint64_t{4} << 20;

Status CheckPoints(const EntryPointRow& row, ByteView packed) {
  if (Crc32c(packed) == row.crc) return Status();
  return DamagedEntryPoints("those of an image do not match their CRC");
}

}  // namespace

struct EntryPointFile::Parts {
  std::unique_ptr<RandomAccessFile> file;
  EntryPointHeader header;
  std::uint32_t header_crc = 0;

  std::uint64_t OffsetOfPage(std::uint64_t page) const {
    return header.directory_offset + page * kPageBytes;
  }
  // `bytes` is a whole number of pages, of which the first is `page`.
  Status ReadPages(std::uint64_t page, std::span<std::byte> bytes) const;
  Result<EntryPointRow> RowIn(ByteView page, std::uint64_t record) const;
  // Those of records [first, end), which lie in one page after the other
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

Status EntryPointFile::Parts::ReadPages(std::uint64_t page,
                                        std::span<std::byte> bytes) const {
  SHARDINE_RETURN_IF_ERROR(file->ReadExactly(OffsetOfPage(page), bytes));
  for (std::size_t at = 0; at < bytes.size(); at += kPageBytes, ++page) {
    Status status =
        CheckEntryPointPage(page, header_crc, bytes.subspan(at, kPageBytes));
    if (!status.ok()) {
      return std::move(status).At(
          {.path = file->path(), .offset = OffsetOfPage(page)});
    }
  }
  return Status();
}

Result<EntryPointRow> EntryPointFile::Parts::RowIn(ByteView page,
                                                   std::uint64_t record) const {
  const std::size_t at = record % kEntryPointRowsPerPage * kEntryPointRowBytes;
  auto row = DecodeEntryPointRow(page.subspan(at, kEntryPointRowBytes), header);
  if (row.ok()) return row;
  return std::move(row).status().At(
      At(OffsetOfPage(record / kEntryPointRowsPerPage) + at, record));
}

Result<std::vector<EntryPointRow>> EntryPointFile::Parts::Rows(
    std::uint64_t first, std::uint64_t end) const {
  const std::uint64_t first_page = first / kEntryPointRowsPerPage;
  const std::uint64_t pages = EntryPointPages(end) - first_page;
  ByteBuffer bytes;
  bytes.Resize(static_cast<std::size_t>(pages * kPageBytes));
  Status read = ReadPages(first_page, bytes.span());
  if (!read.ok()) return std::move(read).At({.record = first});
  std::vector<EntryPointRow> rows;
  rows.reserve(static_cast<std::size_t>(end - first));
  std::uint64_t next = 0;
  for (std::uint64_t record = first; record < end; ++record) {
    const std::uint64_t page = record / kEntryPointRowsPerPage;
    SHARDINE_ASSIGN_OR_RETURN(
        const EntryPointRow row,
        RowIn(
            bytes.view().subspan((page - first_page) * kPageBytes, kPageBytes),
            record));
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
      for (++held; held < rows.size(); ++held) {
        if (size + rows[held].bytes > kBytesPerRead) break;
        size += rows[held].bytes;
      }
      bytes.Resize(static_cast<std::size_t>(size));
      SHARDINE_RETURN_IF_ERROR(file->ReadExactly(begin, bytes.span()));
    }
    const ByteView packed = bytes.view().subspan(row.offset - begin, row.bytes);
    Status status = CheckPoints(row, packed);
    if (status.ok()) status = visit(first + i, row.payload_crc, packed);
    if (!status.ok()) return std::move(status).At(At(row.offset, first + i));
  }
  return Status();
}

EntryPointFile::EntryPointFile(std::unique_ptr<Parts> parts)
    : parts_(std::move(parts)) {}
EntryPointFile::~EntryPointFile() = default;

Result<std::unique_ptr<EntryPointFile>> EntryPointFile::Open(
    Storage& storage, const std::string& path) {
  auto parts = std::make_unique<Parts>();
  SHARDINE_ASSIGN_OR_RETURN(parts->file, storage.Open(path));
  const std::uint64_t bytes = parts->file->size();
  if (bytes < kPageBytes) {
    return DamagedEntryPoints("shorter than a header")
        .At({.path = path, .offset = 0});
  }
  std::array<std::byte, kPageBytes> page;
  const std::uint64_t offset = bytes - kPageBytes;
  SHARDINE_RETURN_IF_ERROR(parts->file->ReadExactly(offset, page));
  Result<EntryPointHeader> header = DecodeEntryPointHeader(page, bytes);
  if (!header.ok()) {
    return std::move(header).status().At({.path = path, .offset = offset});
  }
  parts->header = *header;
  parts->header_crc = PageCrc(page);
  return std::unique_ptr<EntryPointFile>(new EntryPointFile(std::move(parts)));
}

std::uint64_t EntryPointFile::size() const { return parts_->header.samples; }

const EntryPointCounts& EntryPointFile::counts() const {
  return parts_->header.counts;
}

std::uint64_t EntryPointFile::file_bytes() const {
  return parts_->header.file_bytes;
}

const IndexBinding& EntryPointFile::binding() const {
  return parts_->header.binding;
}

const std::string& EntryPointFile::path() const { return parts_->file->path(); }

Status EntryPointFile::Read(std::uint64_t record, std::uint32_t payload_crc,
                            ByteBuffer& packed, std::uint64_t most) const {
  SHARDINE_CHECK(record < size());
  std::array<std::byte, kPageBytes> page;
  Status status = parts_->ReadPages(record / kEntryPointRowsPerPage, page);
  if (!status.ok()) return std::move(status).At({.record = record});
  SHARDINE_ASSIGN_OR_RETURN(const EntryPointRow row,
                            parts_->RowIn(page, record));
  const Where where = parts_->At(row.offset, record);
  if (row.payload_crc != payload_crc) {
    return DamagedEntryPoints("made for another payload").At(where);
  }
  if (row.bytes > most) {
    return DamagedEntryPoints("more of them than their image can have")
        .At(where);
  }
  packed.Resize(row.bytes);
  if (row.bytes == 0) return Status();
  SHARDINE_RETURN_IF_ERROR(
      parts_->file->ReadExactly(row.offset, packed.span()));
  return CheckPoints(row, packed.view()).At(where);
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
  constexpr std::string_view kSidecarSuffix = ".sdx";
  SHARDINE_CHECK(sidecar.ends_with(kSidecarSuffix));
  return sidecar.substr(0, sidecar.size() - kSidecarSuffix.size()) +
         std::string(kEntryPointSuffix);
}

}  // namespace shardine
