#include "shard/shard_index.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "base/check.h"
#include "base/checksum.h"
#include "base/compress.h"
#include "base/status_macros.h"
#include "shard/companion_folder.h"
#include "shard/shard_index_layout.h"
#include "shard/shard_index_row.h"

namespace shardine {
namespace {

constexpr std::uint64_t kIndexPagesPerRead = 64;
// Overflow records lie in row order, so a run of rows reads them in stretches.
constexpr std::uint64_t kOverflowAhead = std::uint64_t{256} << 10;

// The part of the overflow area read last.
struct OverflowWindow {
  std::uint64_t ahead = 0;   // read at least so much, where there is so much
  std::uint64_t offset = 0;  // in the area
  ByteBuffer bytes = {};
  std::uint64_t end = 0;  // of the record read last, in the area
};

// Takes the next key off the front of a decompressed frame.
bool NextKey(ByteCursor& cursor, std::string_view& key) {
  std::uint32_t length = 0;
  ByteView bytes;
  if (!cursor.Read(length) || length > kIndexMaxKeyBytes ||
      !cursor.ReadBytes(length, bytes)) {
    return false;
  }
  key = AsText(bytes);
  return true;
}

}  // namespace

struct ShardIndex::Parts {
  std::unique_ptr<RandomAccessFile> file;
  IndexHeader header;
  std::uint32_t header_crc = 0;
  std::optional<RowPages> rows;

  // `record` is the first that is wanted of the first page.
  // `pages` is a whole number of them.
  Status ReadPages(std::uint64_t record, std::span<std::byte> pages) const;
  Where RowOf(std::uint64_t record) const;
  Status CheckOverflow(OverflowRef ref) const;
  Status ReadOverflow(OverflowRef ref, std::uint64_t record,
                      OverflowWindow& window, IndexEntry& entry) const;
  Status Decode(std::uint64_t record, ByteView row, OverflowWindow& window,
                IndexEntry& entry) const;
  Result<KeyFrame> FindFrame(std::uint64_t number) const;
  Result<std::string> Decompress(const KeyFrame& frame) const;
  // Appends the keys of those records in [first, end) that the frame holds.
  Status ReadFrame(std::uint64_t number, std::uint64_t first, std::uint64_t end,
                   std::vector<std::string>& keys) const;
};

Status ShardIndex::Parts::ReadPages(std::uint64_t record,
                                    std::span<std::byte> pages) const {
  std::uint64_t failed = 0;
  Status status = rows->Read(record / kIndexRowsPerPage, pages, failed);
  if (status.ok()) return status;
  return std::move(status).At(
      {.record = std::max(record, failed * kIndexRowsPerPage)});
}

Where ShardIndex::Parts::RowOf(std::uint64_t record) const {
  return {.path = file->path(),
          .offset = rows->OffsetOf(record / kIndexRowsPerPage) +
                    record % kIndexRowsPerPage * kIndexRowBytes,
          .record = record};
}

Status ShardIndex::Parts::CheckOverflow(OverflowRef ref) const {
  const std::uint64_t size = header.frames_offset - header.overflow_offset;
  if (ref.offset <= size && ref.bytes <= size - ref.offset) return {};
  return DamagedIndex("a row points beyond the overflow area");
}

Status ShardIndex::Parts::ReadOverflow(OverflowRef ref, std::uint64_t record,
                                       OverflowWindow& window,
                                       IndexEntry& entry) const {
  SHARDINE_RETURN_IF_ERROR(CheckOverflow(ref));
  // Rows that share bytes would fill memory with copies of bytes that the file
  // has once.
  if (ref.offset < window.end) {
    return DamagedIndex("a row points into the overflow record of another");
  }
  window.end = ref.offset + ref.bytes;
  // A run of rows is read with one window for all. The window begins at the
  // record asked for: those before it are done.
  if (ref.offset < window.offset ||
      ref.offset + ref.bytes > window.offset + window.bytes.size()) {
    const std::uint64_t wanted =
        std::max<std::uint64_t>(ref.bytes, window.ahead);
    window.offset = ref.offset;
    window.bytes.Resize(std::min(
        wanted, header.frames_offset - header.overflow_offset - ref.offset));
    SHARDINE_RETURN_IF_ERROR(file->ReadExactly(
        header.overflow_offset + ref.offset, window.bytes.span()));
  }
  const ByteView bytes =
      window.bytes.view().subspan(ref.offset - window.offset, ref.bytes);
  return DecodeOverflow(bytes, record, header.version, entry)
      .At({.offset = header.overflow_offset + ref.offset});
}

Status ShardIndex::Parts::Decode(std::uint64_t record, ByteView row,
                                 OverflowWindow& window,
                                 IndexEntry& entry) const {
  OverflowRef ref;
  Status status = DecodeIndexRow(row, entry, ref);
  if (status.ok() && ref.bytes > 0) {
    status = ReadOverflow(ref, record, window, entry);
  }
  if (status.ok()) status = CheckExtents(entry, header.binding.shard_bytes);
  // Without an overflow record a field is an image, of any length.
  if (status.ok() && ref.bytes > 0) status = CheckFields(entry);
  return std::move(status).At(RowOf(record));
}

Result<KeyFrame> ShardIndex::Parts::FindFrame(std::uint64_t number) const {
  std::array<std::byte, kIndexDirectoryBytes> raw;
  const std::uint64_t offset = header.directory_offset + number * raw.size();
  SHARDINE_RETURN_IF_ERROR(file->ReadExactly(offset, raw));
  Result<KeyFrame> frame = DecodeKeyFrame(raw, number, header_crc, header);
  if (!frame.ok()) {
    return std::move(frame).status().At({.offset = offset});
  }
  return frame;
}

Result<std::string> ShardIndex::Parts::Decompress(const KeyFrame& frame) const {
  ByteBuffer stored;
  stored.Resize(frame.stored_bytes);
  SHARDINE_RETURN_IF_ERROR(file->ReadExactly(frame.offset, stored.span()));
  if (Crc32c(stored.view()) != frame.crc) {
    return DamagedIndex("a frame of keys does not match its CRC");
  }
  // The directory gives the limit, which DecodeKeyFrame has bounded: a frame
  // that inflates to more is refused, not followed.
  SHARDINE_ASSIGN_OR_RETURN(std::string keys,
                            ZstdDecompress(stored.view(), frame.key_bytes));
  if (keys.size() != frame.key_bytes) {
    return DamagedIndex("a frame of keys is not as long as it says");
  }
  return keys;
}

Status ShardIndex::Parts::ReadFrame(std::uint64_t number, std::uint64_t first,
                                    std::uint64_t end,
                                    std::vector<std::string>& keys) const {
  SHARDINE_ASSIGN_OR_RETURN(const KeyFrame frame, FindFrame(number));
  Result<std::string> raw = Decompress(frame);
  if (!raw.ok()) {
    return std::move(raw).status().At({.offset = frame.offset});
  }
  const std::uint64_t begin = number * kIndexKeysPerFrame;
  const std::uint64_t last =
      std::min(begin + kIndexKeysPerFrame, header.samples);
  ByteCursor cursor(AsBytes(*raw));
  bool good = true;
  for (std::uint64_t record = begin; good && record < last; ++record) {
    std::string_view key;
    good = NextKey(cursor, key);
    if (good && record >= first && record < end) keys.emplace_back(key);
  }
  // The whole frame is walked even for one key, so that a damaged one gives no
  // key at all.
  if (!good || !cursor.done()) {
    return DamagedIndex("a frame holds other than its number of keys")
        .At({.offset = frame.offset});
  }
  return {};
}

ShardIndex::ShardIndex(std::unique_ptr<Parts> parts)
    : parts_(std::move(parts)) {}
ShardIndex::~ShardIndex() = default;

Result<std::unique_ptr<ShardIndex>> ShardIndex::Open(
    ReadableStorage& storage, const std::string& path,
    std::shared_ptr<PageCache> pages) {
  SHARDINE_ASSIGN_OR_RETURN(auto file, storage.Open(path));
  return Open(std::move(file), std::move(pages));
}

Result<std::unique_ptr<ShardIndex>> ShardIndex::Open(
    std::unique_ptr<RandomAccessFile> file, std::shared_ptr<PageCache> pages) {
  auto parts = std::make_unique<Parts>();
  parts->file = std::move(file);
  const Where start{.path = parts->file->path(), .offset = 0};
  const std::uint64_t bytes = parts->file->size();
  if (bytes < kPageBytes) {
    return DamagedIndex("shorter than its header").At(start);
  }
  std::array<std::byte, kPageBytes> page;
  SHARDINE_RETURN_IF_ERROR(parts->file->ReadExactly(0, page));
  Result<IndexHeader> header = DecodeIndexHeader(page, bytes);
  if (!header.ok()) return std::move(header).status().At(start);
  parts->header = *header;
  parts->header_crc = PageCrc(page);
  parts->rows.emplace(*parts->file, CheckIndexPage, kPageBytes,
                      parts->header_crc, std::move(pages));
  return std::unique_ptr<ShardIndex>(new ShardIndex(std::move(parts)));
}

std::uint64_t ShardIndex::size() const { return parts_->header.samples; }

std::uint64_t ShardIndex::file_bytes() const {
  return parts_->header.file_bytes;
}

const IndexBinding& ShardIndex::binding() const {
  return parts_->header.binding;
}

const std::string& ShardIndex::path() const { return parts_->file->path(); }

Result<IndexEntry> ShardIndex::Entry(std::uint64_t record) const {
  IndexEntry entry;
  SHARDINE_RETURN_IF_ERROR(ReadEntry(record, entry));
  return entry;
}

Status ShardIndex::ReadEntry(std::uint64_t record, IndexEntry& entry) const {
  EntryRead read;
  std::vector<Piece> pieces;
  Start(record, read, pieces);
  ReadMany(pieces);
  std::vector<Piece> overflows;
  SHARDINE_RETURN_IF_ERROR(Decode(pieces, read, entry, overflows));
  ReadMany(overflows);
  return Finish(overflows, read, entry);
}

void ShardIndex::Start(std::uint64_t record, EntryRead& read,
                       std::vector<Piece>& pieces) const {
  SHARDINE_CHECK(record < size());
  read.record = record;
  parts_->rows->Start(record / kIndexRowsPerPage,
                      record % kIndexRowsPerPage * kIndexRowBytes,
                      kIndexRowBytes, read.row, pieces);
}

Status ShardIndex::Decode(std::span<const Piece> pieces, EntryRead& read,
                          IndexEntry& entry,
                          std::vector<Piece>& overflows) const {
  auto row = parts_->rows->Finish(read.row, kIndexRowBytes, pieces);
  if (!row.ok()) return std::move(row).status().At({.record = read.record});
  OverflowRef ref;
  Status status = DecodeIndexRow(*row, entry, ref);
  read.overflow.Resize(0);
  if (status.ok()) {
    // Without an overflow record a field is an image, of any length.
    status = ref.bytes > 0 ? parts_->CheckOverflow(ref)
                           : CheckExtents(entry, binding().shard_bytes);
  }
  if (!status.ok()) return std::move(status).At(parts_->RowOf(read.record));
  if (ref.bytes == 0) return {};
  read.overflow.Resize(ref.bytes);
  read.overflow_offset = parts_->header.overflow_offset + ref.offset;
  read.overflow_piece = overflows.size();
  overflows.push_back(
      {parts_->file.get(), read.overflow_offset, read.overflow.span()});
  return {};
}

Status ShardIndex::Finish(std::span<const Piece> overflows,
                          const EntryRead& read, IndexEntry& entry) const {
  if (read.overflow.size() == 0) return {};
  Status status = overflows[read.overflow_piece].status;
  if (status.ok()) {
    status = DecodeOverflow(read.overflow.view(), read.record,
                            parts_->header.version, entry)
                 .At({.offset = read.overflow_offset});
  }
  if (status.ok()) status = CheckExtents(entry, binding().shard_bytes);
  if (status.ok()) status = CheckFields(entry);
  return std::move(status).At(parts_->RowOf(read.record));
}

std::shared_ptr<const void> ShardIndex::ReadAhead(std::uint64_t first,
                                                  std::uint64_t count,
                                                  std::uint64_t& room) const {
  SHARDINE_CHECK(count > 0 && first <= size() && count <= size() - first);
  const std::uint64_t page = first / kIndexRowsPerPage;
  const std::uint64_t pages = IndexPages(first + count) - page;
  return parts_->file->ReadAhead(parts_->rows->OffsetOf(page),
                                 pages * kPageBytes, room);
}

Status ShardIndex::Entries(std::uint64_t first, std::uint64_t count,
                           std::vector<IndexEntry>& entries) const {
  SHARDINE_CHECK(first <= size() && count <= size() - first);
  entries.clear();
  entries.reserve(static_cast<std::size_t>(count));
  const std::uint64_t end = first + count;
  OverflowWindow window{.ahead = count > 1 ? kOverflowAhead : 0};
  ByteBuffer pages;
  std::uint64_t record = first;
  while (record < end) {
    const std::uint64_t page = record / kIndexRowsPerPage;
    const std::uint64_t run =
        std::min(kIndexPagesPerRead, IndexPages(end) - page);
    pages.Resize(static_cast<std::size_t>(run * kPageBytes));
    SHARDINE_RETURN_IF_ERROR(parts_->ReadPages(record, pages.span()));
    const std::uint64_t stop = std::min(end, (page + run) * kIndexRowsPerPage);
    for (; record < stop; ++record) {
      const std::uint64_t at =
          (record / kIndexRowsPerPage - page) * kPageBytes +
          record % kIndexRowsPerPage * kIndexRowBytes;
      SHARDINE_RETURN_IF_ERROR(
          parts_->Decode(record, pages.view().subspan(at, kIndexRowBytes),
                         window, entries.emplace_back()));
    }
  }
  return {};
}

Result<std::string> ShardIndex::Key(std::uint64_t record) const {
  std::vector<std::string> keys;
  Status status = Keys(record, 1, keys);
  if (!status.ok()) return status.Annotate({.record = record});
  return std::move(keys[0]);
}

Status ShardIndex::Keys(std::uint64_t first, std::uint64_t count,
                        std::vector<std::string>& keys) const {
  SHARDINE_CHECK(first <= size() && count <= size() - first);
  keys.clear();
  keys.reserve(static_cast<std::size_t>(count));
  const std::uint64_t end = first + count;
  std::uint64_t next = first;
  while (next < end) {
    const std::uint64_t frame = next / kIndexKeysPerFrame;
    Status status = parts_->ReadFrame(frame, first, end, keys);
    if (!status.ok()) {
      return std::move(status).At({.path = path(), .record = next});
    }
    next = (frame + 1) * kIndexKeysPerFrame;
  }
  return {};
}

std::string SidecarName(const std::string& shard) {
  return InCompanionFolder(shard) + std::string(kSidecarSuffix);
}

}  // namespace shardine
