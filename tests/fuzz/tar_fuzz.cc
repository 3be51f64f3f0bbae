// Any bytes as a .tar, plain or compressed: errors, never crashes, extents at
// which the file holds the returned bytes, and the verdict of the index
// checker. The mutator sets checksums right, and sizes now and then, so that
// the fuzzer gets behind them.
#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "base/check.h"
#include "io/memory_storage.h"
#include "webdataset/npy_header.h"
#include "webdataset/sample_json.h"
#include "webdataset/webdataset_index.h"
#include "webdataset/webdataset_scanner.h"

namespace shardine {
namespace {

constexpr std::size_t kBlock = 512;

void CheckField(std::string_view file, const ScannedField& field) {
  SHARDINE_CHECK(field.dtype == kBytesDtype
                     ? field.shape.empty()
                     : ParseNpyType(field.dtype) && field.dtype[0] != '>');
  if (field.extents.empty()) {
    SHARDINE_CHECK(!field.bytes.empty());
    return;
  }
  std::string_view rest = AsText(field.bytes);
  for (const Extent& extent : field.extents) {
    SHARDINE_CHECK(extent.offset <= file.size());
    SHARDINE_CHECK(extent.length <= file.size() - extent.offset);
    SHARDINE_CHECK(rest.starts_with(file.substr(extent.offset, extent.length)));
    rest.remove_prefix(extent.length);
  }
  SHARDINE_CHECK(rest.empty());
}

// Offsets of the samples, if all of the file is right.
bool Scan(const RandomAccessFile& file, std::string_view contents,
          std::vector<std::uint64_t>& offsets,
          std::vector<std::uint64_t>& ids) {
  const auto scanner = OpenWebDatasetScanner(file, {});
  SHARDINE_CHECK(scanner.ok());
  for (;;) {
    const auto sample = (*scanner)->Next();
    if (!sample.ok()) {
      SHARDINE_CHECK(sample.status().where().record);
      SHARDINE_CHECK(sample.status().where().offset);
      SHARDINE_CHECK(!sample.status().where().path.empty());
      return false;
    }
    if (!*sample) return true;
    offsets.push_back((*sample)->record_offset);
    ids.push_back((*sample)->id.value_or(0));
    std::string_view before;
    bool first = true;
    for (const ScannedField& field : (*sample)->fields) {
      SHARDINE_CHECK(first || before < field.name);
      before = field.name;
      first = false;
      CheckField(contents, field);
    }
  }
}

void Check(const std::string& contents) {
  MemoryStorage storage;
  storage.Put("x.tar", contents);
  storage.Put("x.idx", "v1.2 0\n");
  const auto file = storage.Open("x.tar");
  SHARDINE_CHECK(file.ok());
  std::vector<std::uint64_t> offsets;
  std::vector<std::uint64_t> ids;
  const bool sound = Scan(**file, contents, offsets, ids);
  const Status status = CheckWdsIndex(
      storage, {.shard = "x.tar", .companion = "x.idx"}, offsets, ids);
  // Headers that a scan accepts must be the same to the checker: any further
  // fault is the index's.
  SHARDINE_CHECK(!sound || status.ok() || status.where().path == "x.idx");
}

// The .json and .npy parsers on the bytes themselves: whatever they accept is
// written back the same.
void CheckParsers(std::string_view text) {
  SampleJson json;
  if (IsSampleJson(text) && ParseSampleJson(text, json).ok()) {
    std::string again;
    AppendSampleJson(json.id, json.key, json.labels, again);
    SHARDINE_CHECK(again == text);
  }
  const auto header = ParseNpyHeader(AsBytes(text));
  if (!header.ok() || header->data_bytes > text.size()) return;
  ByteBuffer data;
  ConvertNpyData(*header, AsBytes(text).subspan(header->header_bytes), data);
  SHARDINE_CHECK(data.size() == header->data_bytes);
}

void PutOctal(std::size_t value, std::size_t digits, std::uint8_t* to) {
  while (digits > 0) {
    to[--digits] = static_cast<std::uint8_t>('0' + value % 8);
    value /= 8;
  }
}

// Sets the checksum of a header, if the block is not all zeros.
void SetChecksum(std::uint8_t* block) {
  if (std::all_of(block, block + kBlock, [](auto b) { return b == 0; })) return;
  std::memset(block + 148, ' ', 8);
  std::size_t sum = 0;
  for (std::size_t i = 0; i < kBlock; ++i) sum += block[i];
  PutOctal(sum, 6, block + 148);
}

// Walks from header to header as a reader would. Where a size leads out of the
// file it is made to fit, half of the time.
void Repair(std::uint8_t* data, std::size_t size, unsigned seed) {
  for (std::size_t at = 0; at + kBlock <= size; ++seed) {
    std::uint8_t* block = data + at;
    const std::string text(reinterpret_cast<char*>(block) + 124, 11);
    std::size_t length = 0;
    for (const char c : text) {
      if (c < '0' || c > '7') break;
      length = length * 8 + static_cast<std::size_t>(c - '0');
    }
    const std::size_t left = size - at - kBlock;
    if (length > left && seed % 2 == 0) {
      length = left / 2;
      PutOctal(length, 11, block + 124);
    }
    SetChecksum(block);
    if (length > left) return;
    at += kBlock + (length + kBlock - 1) / kBlock * kBlock;
  }
}

}  // namespace
}  // namespace shardine

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size,
                                        std::size_t max_size)
    __attribute__((weak));

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data,
                                               std::size_t size,
                                               std::size_t max_size,
                                               unsigned seed) {
  size = LLVMFuzzerMutate(data, size, max_size);
  const bool compressed =
      size > 4 && (data[0] == 0x1f || data[0] == 0x28) && data[1] > 0x80;
  if (compressed) return size;
  // Whole blocks, and an end marker, are rare by chance.
  if (seed % 4 == 0 && size + 3 * shardine::kBlock <= max_size) {
    const std::size_t whole = (size / shardine::kBlock + 3) * shardine::kBlock;
    std::memset(data + size, 0, whole - size);
    size = whole;
  }
  if (seed % 8 != 7) shardine::Repair(data, size, seed / 8);
  return size;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  const std::string contents(data, data + size);
  shardine::Check(contents);
  shardine::CheckParsers(contents);
  if (size > 512)
    shardine::CheckParsers(std::string_view(contents).substr(512));
  return 0;
}
