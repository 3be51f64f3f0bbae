// Any bytes as a TFRecord file, in both layouts, and as an Example: errors,
// never crashes, extents at which the file holds the returned bytes, and the
// features that protobuf finds.
#include <algorithm>
#include <cstring>
#include <string>

#include "base/check.h"
#include "base/checksum.h"
#include "io/memory_storage.h"
#include "support/example_oracle.h"
#include "tfrecord/tfrecord_format.h"
#include "tfrecord/tfrecord_framing.h"

namespace shardine {
namespace {

void CheckExtents(std::string_view file, const ScannedField& field) {
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

void Scan(const RandomAccessFile& file, const Layout& layout,
          std::string_view contents) {
  const auto scanner = kTfRecordFormat.open_scanner(file, DefaultsOf(layout));
  SHARDINE_CHECK(scanner.ok());
  for (;;) {
    const auto sample = (*scanner)->Next();
    if (!sample.ok()) SHARDINE_CHECK(sample.status().where().record);
    if (!sample.ok() || !*sample) return;
    const ScannedField* before = nullptr;
    for (const ScannedField& field : (*sample)->fields) {
      SHARDINE_CHECK(before == nullptr || before->name < field.name);
      CheckExtents(contents, field);
      before = &field;
    }
  }
}

void CompareWithProtobuf(const std::string& record) {
  ExampleReader reader;
  const Status status = reader.Parse(AsBytes(record));
  const auto oracle = ParseByProtobuf(record);
  if (status.ok()) {
    SHARDINE_CHECK(oracle && FeaturesOf(reader) == *oracle);
  } else {
    SHARDINE_CHECK(!oracle || status.code() == Code::kUnsupported);
  }
}

// Makes right the checksums of all records whose framing fits, so that the code
// behind the checksums is reached.
void RepairChecksums(std::byte* data, std::size_t size) {
  while (size >= kTfRecordFraming) {
    auto length = LoadLe<std::uint64_t>(data);
    // A length that does not fit is more often a record that has changed.
    if (length > size - kTfRecordFraming) {
      length = length % (size - kTfRecordFraming + 1);
      StoreLe(length, data);
    }
    StoreLe(MaskCrc(Crc32c({data, 8})), data + 8);
    const ByteView record(data + kTfRecordHeader,
                          static_cast<std::size_t>(length));
    StoreLe(MaskCrc(Crc32c(record)), data + kTfRecordHeader + length);
    data += length + kTfRecordFraming;
    size -= static_cast<std::size_t>(length) + kTfRecordFraming;
  }
}

}  // namespace
}  // namespace shardine

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size,
                                        std::size_t max_size)
    __attribute__((weak));

// Three of four inputs get right checksums; the rest keep the fuzzer honest
// about wrong ones, and about compressed files.
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data,
                                               std::size_t size,
                                               std::size_t max_size,
                                               unsigned seed) {
  size = LLVMFuzzerMutate(data, size, max_size);
  if (seed % 4 != 0) {
    shardine::RepairChecksums(reinterpret_cast<std::byte*>(data), size);
  }
  return size;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  const std::string contents(data, data + size);
  shardine::MemoryStorage storage;
  storage.Put("x", contents);
  const auto file = storage.Open("x");
  SHARDINE_CHECK(file.ok());
  for (const shardine::Layout& layout : shardine::kTfRecordFormat.layouts) {
    shardine::Scan(**file, layout, contents);
  }
  SHARDINE_CHECK(shardine::kTfRecordFormat.detect_layout(**file).ok());
  shardine::kTfRecordFormat.probe(shardine::AsBytes(contents));
  shardine::CompareWithProtobuf(contents);
  if (size > shardine::kTfRecordFraming) {
    shardine::CompareWithProtobuf(contents.substr(
        shardine::kTfRecordHeader, size - shardine::kTfRecordFraming));
  }
  return 0;
}
