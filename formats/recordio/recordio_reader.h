// Reads the records of a RecordIO file one after the other, parts joined,
// whatever their content is. Byte layout: FORMAT.md, "Framing".
#ifndef SHARDINE_FORMATS_RECORDIO_RECORDIO_READER_H_
#define SHARDINE_FORMATS_RECORDIO_RECORDIO_READER_H_

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/bytes.h"
#include "io/file_window.h"
#include "io/storage.h"
#include "recordio/recordio_framing.h"
#include "shard/extent.h"
#include "shardine/status.h"

namespace shardine {

// Views: valid until the next call of Next().
struct RecordIoRecord {
  std::uint64_t number = 0;  // from 0
  std::uint64_t offset = 0;  // of its first magic word
  ByteView bytes;            // the magic words between parts put back
  // Where `bytes` lie, at least one. The magic between two parts is the header
  // word of the second, so nothing is missing from the file.
  std::span<const Extent> extents;
};

// Strict: the order of parts, lengths against the rest of the file before any
// allocation, zero padding. Errors are kCorrupt with path, record and byte, and
// repeat when Next() is called again. Copies only records of several parts.
//
// Thread-compatible. The file must outlive the reader.
class RecordIoReader {
 public:
  explicit RecordIoReader(const RandomAccessFile& file)
      : file_(file), window_(file, {}) {}

  // nullopt at the clean end of the file.
  Result<std::optional<RecordIoRecord>> Next();

 private:
  struct Part {
    RecordIoPart kind = RecordIoPart::kWhole;
    Extent data;  // without padding
    std::uint64_t padding = 0;

    bool ends_record() const {
      return kind == RecordIoPart::kWhole || kind == RecordIoPart::kLast;
    }
    std::uint64_t end() const { return data.offset + data.length + padding; }
  };

  // `inside`: parts of an unfinished record lie before `offset`.
  Result<Part> ReadPart(std::uint64_t offset, bool inside);
  Result<ByteView> ReadData(const Part& part);
  Status Join(const Part& part, ByteView data);
  // These bytes of the file.
  Result<ByteView> Window(std::uint64_t offset, std::uint64_t length);
  Status Corrupt(std::uint64_t offset, std::string message) const;

  const RandomAccessFile& file_;
  std::uint64_t position_ = 0;  // of the next record
  std::uint64_t number_ = 0;    // of the next record
  FileWindow window_;
  ByteBuffer joined_;
  std::vector<Extent> extents_;
};

}  // namespace shardine

#endif  // SHARDINE_FORMATS_RECORDIO_RECORDIO_READER_H_
