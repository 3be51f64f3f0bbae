#include <algorithm>
#include <array>
#include <utility>

#include "base/check.h"
#include "base/checksum.h"
#include "base/status_macros.h"
#include "shard/entry_point_file.h"
#include "shard/entry_point_layout.h"

namespace shardine {
namespace {

constexpr std::size_t kBufferBytes = std::size_t{256} << 10;

}  // namespace

EntryPointFileWriter::EntryPointFileWriter(Storage& storage, std::string path)
    : storage_(&storage), path_(std::move(path)) {}

Status EntryPointFileWriter::Add(std::string_view packed, bool damaged) {
  if (packed.size() > kMaxEntryPointBytes) {
    return Status(Code::kUnsupported,
                  "the entry points of one image take more than 16 MiB")
        .At({.path = path_, .record = rows_.size()});
  }
  const ByteView bytes = AsBytes(packed);
  rows_.push_back({.bytes = static_cast<std::uint32_t>(bytes.size()),
                   .crc = Crc32c(bytes)});
  counts_.damaged += damaged ? 1 : 0;
  if (packed.empty()) return Status();
  ++counts_.images;
  points_bytes_ += bytes.size();
  return Append(bytes);
}

Status EntryPointFileWriter::Append(ByteView bytes) {
  buffer_.Append(bytes);
  return buffer_.size() < kBufferBytes ? Status() : Flush();
}

Status EntryPointFileWriter::Flush() {
  if (!file_) {
    SHARDINE_ASSIGN_OR_RETURN(file_, AtomicFile::Create(*storage_, path_));
  }
  SHARDINE_RETURN_IF_ERROR(file_->Append(buffer_.view()));
  buffer_.Resize(0);
  return Status();
}

Status EntryPointFileWriter::AppendDirectory(
    std::uint32_t header_crc, std::span<const std::uint32_t> payload_crcs) {
  EntryPointRow row;
  std::array<std::byte, kPageBytes> page;
  for (std::size_t at = 0; at < rows_.size(); at += kEntryPointRowsPerPage) {
    page.fill(std::byte{0});
    const std::size_t count =
        std::min<std::size_t>(kEntryPointRowsPerPage, rows_.size() - at);
    for (std::size_t i = 0; i < count; ++i) {
      const Row& from = rows_[at + i];
      row.bytes = from.bytes;
      row.payload_crc = payload_crcs[at + i];
      row.crc = from.crc;
      EncodeEntryPointRow(row, std::span(page).subspan(i * kEntryPointRowBytes,
                                                       kEntryPointRowBytes));
      row.offset += row.bytes;
    }
    SealPage(at / kEntryPointRowsPerPage, header_crc, page);
    SHARDINE_RETURN_IF_ERROR(Append(page));
  }
  return Status();
}

Status EntryPointFileWriter::PublishBy(
    Status (AtomicFile::*publish)(), const IndexBinding& binding,
    std::span<const std::uint32_t> payload_crcs) {
  SHARDINE_CHECK(payload_crcs.size() == rows_.size());
  if (counts_ == EntryPointCounts()) return Status();
  const EntryPointHeader header{
      .samples = rows_.size(),
      .counts = counts_,
      .directory_offset = points_bytes_,
      .file_bytes =
          points_bytes_ + (EntryPointPages(rows_.size()) + 1) * kPageBytes,
      .binding = binding};
  std::array<std::byte, kPageBytes> page;
  EncodeEntryPointHeader(header, page);
  SHARDINE_RETURN_IF_ERROR(AppendDirectory(PageCrc(page), payload_crcs));
  SHARDINE_RETURN_IF_ERROR(Append(page));
  SHARDINE_RETURN_IF_ERROR(Flush());
  return ((*file_).*publish)();
}

}  // namespace shardine
