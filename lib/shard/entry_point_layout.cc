#include "shard/entry_point_layout.h"

#include "base/check.h"
#include "base/status_macros.h"

namespace shardine {
namespace {

constexpr CompanionKind kEntryPoints{
    .name = "entry points", .magic = "SHARDSDE", .version = 1};

bool SectionsFit(const EntryPointHeader& header) {
  const std::uint64_t pages = EntryPointPages(header.samples);
  // Divisions, since a product of hostile numbers may wrap.
  return pages <= header.file_bytes / kPageBytes - 1 &&
         header.directory_offset ==
             header.file_bytes - (pages + 1) * kPageBytes &&
         header.counts.images <= header.samples &&
         header.counts.damaged <= header.samples - header.counts.images;
}

}  // namespace

Status DamagedEntryPoints(std::string_view what) {
  return DamagedCompanion(kEntryPoints, what);
}

void EncodeEntryPointHeader(const EntryPointHeader& header,
                            std::span<std::byte> page) {
  const std::uint64_t numbers[] = {header.samples, header.counts.images,
                                   header.counts.damaged,
                                   header.directory_offset, header.file_bytes};
  EncodeHeaderPage(kEntryPoints, numbers, header.binding, page);
}

Result<EntryPointHeader> DecodeEntryPointHeader(ByteView page,
                                                std::uint64_t file_bytes) {
  EntryPointHeader header;
  std::uint64_t numbers[5] = {};
  SHARDINE_RETURN_IF_ERROR(
      DecodeHeaderPage(kEntryPoints, page, numbers, header.binding));
  header.samples = numbers[0];
  header.counts = {.images = numbers[1], .damaged = numbers[2]};
  header.directory_offset = numbers[3];
  header.file_bytes = numbers[4];
  if (header.file_bytes != file_bytes) {
    return DamagedEntryPoints("the file has " + std::to_string(file_bytes) +
                              " bytes, its header says " +
                              std::to_string(header.file_bytes));
  }
  if (!SectionsFit(header)) {
    return DamagedEntryPoints("what the header says contradicts itself");
  }
  return header;
}

void EncodeEntryPointRow(const EntryPointRow& row, std::span<std::byte> to) {
  SHARDINE_CHECK(to.size() == kEntryPointRowBytes);
  FieldStore store(to.data());
  store.Put(row.offset);
  store.Put(row.bytes);
  store.Put(row.payload_crc);
  store.Put(row.crc);
}

Result<EntryPointRow> DecodeEntryPointRow(ByteView from,
                                          const EntryPointHeader& header) {
  SHARDINE_CHECK(from.size() == kEntryPointRowBytes);
  EntryPointRow row;
  FieldLoad load(from.data());
  load.Get(row.offset);
  load.Get(row.bytes);
  load.Get(row.payload_crc);
  load.Get(row.crc);
  if (row.offset > header.directory_offset ||
      row.bytes > header.directory_offset - row.offset) {
    return DamagedEntryPoints("a row points nowhere");
  }
  if (row.bytes > kMaxEntryPointBytes) {
    return DamagedEntryPoints("more of them than an image can have");
  }
  return row;
}

Status CheckEntryPointPage(std::uint64_t number, std::uint32_t header_crc,
                           ByteView page) {
  return CheckPage(kEntryPoints, number, header_crc, page);
}

}  // namespace shardine
