// Tools of the TFRecord tests to make records and to look at files.
#ifndef SHARDINE_TESTS_UNIT_TFRECORD_TFRECORD_BYTES_H_
#define SHARDINE_TESTS_UNIT_TFRECORD_TFRECORD_BYTES_H_

#include <zlib.h>

#include <catch2/catch.hpp>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/checksum.h"
#include "io/memory_storage.h"
#include "shard/format_registry.h"
#include "support/draws.h"
#include "tfrecord/tfrecord_format.h"
#include "tfrecord/tfrecord_framing.h"

namespace shardine {

// "61 62 0a" (blanks anywhere) -> "ab\n".
inline std::string FromHex(std::string_view hex) {
  std::string bytes;
  std::string digits;
  for (const char c : hex) {
    if (c == ' ') continue;
    digits += c;
    if (digits.size() < 2) continue;
    bytes += static_cast<char>(std::stoi(digits, nullptr, 16));
    digits.clear();
  }
  REQUIRE(digits.empty());
  return bytes;
}

// The wire format, by hand: independent of the code under test.
inline std::string Varint(std::uint64_t value) {
  std::string bytes;
  for (; value >= 0x80; value >>= 7) {
    bytes += static_cast<char>(value | 0x80);
  }
  return bytes + static_cast<char>(value);
}
// Field `number` with a length.
inline std::string ProtoField(unsigned number, const std::string& contents) {
  return Varint(number << 3 | 2) + Varint(contents.size()) + contents;
}
inline std::string Entry(const std::string& name, const std::string& feature) {
  return ProtoField(1, ProtoField(1, name) + ProtoField(2, feature));
}
inline std::string BytesFeature(const std::vector<std::string>& values) {
  std::string list;
  for (const std::string& value : values) list += ProtoField(1, value);
  return ProtoField(1, list);
}
inline std::string FloatFeature(const std::vector<float>& values) {
  std::string packed;
  for (const float value : values) AppendLe(value, packed);
  return ProtoField(2, values.empty() ? "" : ProtoField(1, packed));
}
inline std::string Int64Feature(const std::vector<std::int64_t>& values) {
  std::string packed;
  for (const std::int64_t value : values) {
    packed += Varint(static_cast<std::uint64_t>(value));
  }
  return ProtoField(3, values.empty() ? "" : ProtoField(1, packed));
}
inline std::string ExampleOf(
    const std::vector<std::pair<std::string, std::string>>& features) {
  std::string entries;
  for (const auto& [name, feature] : features) entries += Entry(name, feature);
  return ProtoField(1, entries);
}

// The bytes of a plain file of these records, framed by hand.
inline std::string FileOf(std::span<const std::string> records) {
  std::string file;
  for (const std::string& record : records) {
    std::string length;
    AppendLe(static_cast<std::uint64_t>(record.size()), length);
    file += length;
    AppendLe(MaskCrc(Crc32c(AsBytes(length))), file);
    file += record;
    AppendLe(MaskCrc(Crc32c(AsBytes(record))), file);
  }
  return file;
}
inline std::string FileOf(const std::string& record) {
  return FileOf(std::span(&record, 1));
}

// `bits`: 31 makes gzip, 15 zlib.
inline std::string Deflated(const std::string& plain, int bits) {
  z_stream stream{};
  REQUIRE(deflateInit2(&stream, 6, Z_DEFLATED, bits, 8, Z_DEFAULT_STRATEGY) ==
          Z_OK);
  std::string out(deflateBound(&stream, plain.size()) + 64, '\0');
  std::string in = plain;
  stream.next_in = reinterpret_cast<Bytef*>(in.data());
  stream.avail_in = static_cast<uInt>(in.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  REQUIRE(deflate(&stream, Z_FINISH) == Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

struct FoundField {
  std::string dtype;
  std::vector<std::uint64_t> shape;
  std::string bytes;
  std::vector<Extent> extents = {};

  // Where it lies is another matter.
  friend bool operator==(const FoundField& a, const FoundField& b) {
    return a.dtype == b.dtype && a.shape == b.shape && a.bytes == b.bytes;
  }
};
struct FoundSample {
  std::uint64_t offset = 0;
  std::optional<std::uint64_t> id;
  std::optional<std::string> key;
  std::vector<Label> labels;
  std::string class_name;
  std::string class_text;
  std::map<std::string, FoundField> fields;
};
struct FoundSamples {
  std::vector<FoundSample> samples;
  Status status;
};

inline FormatAndLayout ParseLayout(const std::string& name) {
  static constexpr const Format* kFormats[] = {&kTfRecordFormat};
  auto parsed = ParseFormat(FormatRegistry(kFormats), name);
  REQUIRE(parsed.ok());
  return *std::move(parsed);
}

inline FoundSample Own(const ScannedSample& sample) {
  FoundSample found;
  found.offset = sample.record_offset;
  found.id = sample.id;
  if (sample.key) found.key = std::string(*sample.key);
  found.labels.assign(sample.labels.begin(), sample.labels.end());
  found.class_name = sample.class_name;
  found.class_text = sample.class_text;
  std::string before;
  for (const ScannedField& field : sample.fields) {
    CHECK((found.fields.empty() || before < field.name));
    before = field.name;
    found.fields[before] = {std::string(field.dtype),
                            {field.shape.begin(), field.shape.end()},
                            std::string(AsText(field.bytes)),
                            {field.extents.begin(), field.extents.end()}};
  }
  return found;
}

// The samples that the scanner finds in a file of these bytes, up to the first
// error.
inline FoundSamples ScanBytes(const std::string& contents,
                              const std::string& layout = "tfrecord") {
  MemoryStorage storage;
  storage.Put("x.tfrecord", contents);
  const auto file = storage.Open("x.tfrecord");
  REQUIRE(file.ok());
  const auto scanner =
      kTfRecordFormat.open_scanner(**file, ParseLayout(layout));
  REQUIRE(scanner.ok());
  FoundSamples found;
  for (;;) {
    const auto sample = (*scanner)->Next();
    if (!sample.ok()) {
      found.status = sample.status();
      // Stays with the first error.
      CHECK((*scanner)->Next().status().ToString() == found.status.ToString());
      return found;
    }
    if (!*sample) return found;
    CHECK((*sample)->record == found.samples.size());
    found.samples.push_back(Own(**sample));
  }
}

// The only sample of a file with this record.
inline FoundSample ScanRecord(const std::string& record,
                              const std::string& layout = "tfrecord") {
  FoundSamples found = ScanBytes(FileOf(record), layout);
  INFO(found.status.ToString());
  REQUIRE(found.status.ok());
  REQUIRE(found.samples.size() == 1);
  return std::move(found.samples[0]);
}

inline Status StatusOf(const std::string& record,
                       const std::string& layout = "tfrecord") {
  return ScanBytes(FileOf(record), layout).status;
}

// The bytes of `file` at these extents, joined.
inline std::string JoinExtents(const std::string& file,
                               std::span<const Extent> extents) {
  std::string joined;
  for (const Extent& extent : extents) {
    REQUIRE(extent.offset + extent.length <= file.size());
    joined += file.substr(extent.offset, extent.length);
  }
  return joined;
}

}  // namespace shardine

#endif  // SHARDINE_TESTS_UNIT_TFRECORD_TFRECORD_BYTES_H_
