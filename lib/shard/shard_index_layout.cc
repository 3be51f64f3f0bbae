#include "shard/shard_index_layout.h"

#include <string>

#include "base/check.h"
#include "base/checksum.h"
#include "base/compress.h"
#include "base/status_macros.h"

namespace shardine {
namespace {

constexpr CompanionKind kSidecar{
    .name = "sidecar index", .magic = "SHARDSDX", .version = 2};
static_assert(kIndexRowsPerPage * kIndexRowBytes == kPageBodyBytes);

// A frame is bound to its number and sidecar without storing either.
std::uint32_t DirectoryCrc(ByteView entry, std::uint64_t number,
                           std::uint32_t header_crc) {
  std::byte place[12];
  StoreLe(number, place);
  StoreLe(header_crc, place + 8);
  return Crc32c(entry.first(kIndexDirectoryBytes - 4), Crc32c(place));
}

Status CheckSections(const IndexHeader& header, std::uint64_t file_bytes) {
  if (header.file_bytes != file_bytes) {
    return DamagedIndex("the file has " + std::to_string(file_bytes) +
                        " bytes, its header says " +
                        std::to_string(header.file_bytes));
  }
  const std::uint64_t pages = IndexPages(header.samples);
  const std::uint64_t frames = IndexFrames(header.samples);
  // The header was read, so the file has a page at least. Where the row pages
  // fit, `samples` is bounded by the file and no product below can wrap.
  // Divisions, since a product of hostile numbers may wrap.
  const bool rows_fit = pages <= file_bytes / kPageBytes - 1;
  if (!rows_fit || header.overflow_offset != (pages + 1) * kPageBytes ||
      header.frames_offset < header.overflow_offset ||
      header.directory_offset < header.frames_offset ||
      file_bytes < header.directory_offset ||
      file_bytes - header.directory_offset != frames * kIndexDirectoryBytes) {
    return DamagedIndex("the header's sections contradict one another");
  }
  return {};
}

}  // namespace

Status DamagedIndex(std::string_view what) {
  return DamagedCompanion(kSidecar, what);
}

void EncodeIndexHeader(const IndexHeader& header, std::span<std::byte> page) {
  const std::uint64_t numbers[] = {header.samples, header.overflow_offset,
                                   header.frames_offset,
                                   header.directory_offset, header.file_bytes};
  // The oldest version that says all: programs that know only version 1 read
  // every sidecar that does not need 2.
  CompanionKind kind = kSidecar;
  kind.version = header.version;
  EncodeHeaderPage(kind, numbers, header.binding, page);
}

Result<IndexHeader> DecodeIndexHeader(ByteView page, std::uint64_t file_bytes) {
  IndexHeader header;
  std::uint64_t numbers[5] = {};
  SHARDINE_RETURN_IF_ERROR(
      DecodeHeaderPage(kSidecar, page, numbers, header.binding));
  header.version = VersionOf(page);
  header.samples = numbers[0];
  header.overflow_offset = numbers[1];
  header.frames_offset = numbers[2];
  header.directory_offset = numbers[3];
  header.file_bytes = numbers[4];
  SHARDINE_RETURN_IF_ERROR(CheckSections(header, file_bytes));
  return header;
}

Status CheckIndexPage(std::uint64_t number, std::uint32_t header_crc,
                      ByteView page) {
  return CheckPage(kSidecar, number, header_crc, page);
}

void EncodeKeyFrame(const KeyFrame& frame, std::uint64_t number,
                    std::uint32_t header_crc, std::span<std::byte> entry) {
  SHARDINE_CHECK(entry.size() == kIndexDirectoryBytes);
  FieldStore store(entry.data());
  store.Put(frame.offset);
  store.Put(frame.stored_bytes);
  store.Put(frame.key_bytes);
  store.Put(frame.crc);
  store.Put(DirectoryCrc(entry, number, header_crc));
}

Result<KeyFrame> DecodeKeyFrame(ByteView entry, std::uint64_t number,
                                std::uint32_t header_crc,
                                const IndexHeader& header) {
  SHARDINE_CHECK(entry.size() == kIndexDirectoryBytes);
  KeyFrame frame;
  std::uint32_t crc = 0;
  FieldLoad load(entry.data());
  load.Get(frame.offset);
  load.Get(frame.stored_bytes);
  load.Get(frame.key_bytes);
  load.Get(frame.crc);
  load.Get(crc);
  if (crc != DirectoryCrc(entry, number, header_crc)) {
    return DamagedIndex("an entry of the key directory does not match its CRC");
  }
  // A CRC finds damage, not forgery. These bounds hold against a hostile file;
  // a reader will allocate key_bytes.
  if (frame.offset < header.frames_offset ||
      frame.offset > header.directory_offset ||
      frame.stored_bytes > header.directory_offset - frame.offset ||
      frame.key_bytes > kIndexMaxFrameBytes) {
    return DamagedIndex("an entry of the key directory points nowhere");
  }
  if (frame.key_bytes > kIndexFreeKeyBytes &&
      frame.key_bytes / kZstdMostRatio > frame.stored_bytes) {
    return DamagedIndex("a frame of keys claims more than its bytes allow");
  }
  return frame;
}

}  // namespace shardine
