// Tools of the RecordIO tests to make records and to look at files.
#ifndef SHARDINE_TESTS_UNIT_RECORDIO_RECORD_BYTES_H_
#define SHARDINE_TESTS_UNIT_RECORDIO_RECORD_BYTES_H_

#include <catch2/catch.hpp>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/memory_storage.h"
#include "recordio/recordio_framing.h"
#include "recordio/recordio_reader.h"
#include "shard/extent.h"
#include "support/draws.h"

namespace shardine {

inline const std::string kMagicBytes = "\x0a\x23\xd7\xce";

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

// About `size` bytes in which the magic, and pieces of it, stand everywhere,
// at every alignment.
inline std::string MagicRichBytes(Draws& draws, std::size_t size) {
  std::string bytes;
  while (bytes.size() < size) {
    switch (draws.Below(4)) {
      case 0:
      case 1:
        bytes += kMagicBytes;
        break;
      case 2:
        bytes += kMagicBytes.substr(draws.Below(4));
        break;
      default:
        for (std::uint32_t n = draws.Below(6); n > 0; --n) {
          bytes += draws.Byte();
        }
    }
  }
  return bytes;
}

// The bytes of a file that holds these records, made by RecordIoFileWriter.
inline std::string EncodeRecords(std::span<const std::string> records) {
  MemoryStorage storage;
  auto file = storage.Create("x.rec");
  REQUIRE(file.ok());
  RecordIoFileWriter writer(*std::move(file));
  for (const std::string& record : records) {
    REQUIRE(writer.Append({}, AsBytes(record)).ok());
  }
  REQUIRE(writer.Finish().ok());
  auto bytes = storage.Get("x.rec");
  REQUIRE(bytes.ok());
  REQUIRE(writer.bytes() == bytes->size());
  return *std::move(bytes);
}

struct ReadRecord {
  std::uint64_t number = 0;
  std::uint64_t offset = 0;
  std::string bytes;
  std::vector<Extent> extents;
};

// The records that RecordIoReader finds in a file of these bytes, up to the
// first error.
struct ReadRecords {
  std::vector<ReadRecord> records;
  Status status;
};
inline ReadRecords DecodeRecords(const std::string& file) {
  MemoryStorage storage;
  storage.Put("x.rec", file);
  auto opened = storage.Open("x.rec");
  REQUIRE(opened.ok());
  RecordIoReader reader(**opened);
  ReadRecords found;
  for (;;) {
    auto record = reader.Next();
    if (!record.ok()) {
      found.status = record.status();
      // Stays with the first error.
      REQUIRE(reader.Next().status().ToString() == found.status.ToString());
      return found;
    }
    if (!*record) return found;
    found.records.push_back(
        {(*record)->number,
         (*record)->offset,
         std::string(AsText((*record)->bytes)),
         {(*record)->extents.begin(), (*record)->extents.end()}});
  }
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

#endif  // SHARDINE_TESTS_UNIT_RECORDIO_RECORD_BYTES_H_
