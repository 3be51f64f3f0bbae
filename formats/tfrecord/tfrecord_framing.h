// TFRecord framing: the bytes before and after each record. Byte layout:
// FORMAT.md, "Framing".
#ifndef SHARDINE_FORMATS_TFRECORD_TFRECORD_FRAMING_H_
#define SHARDINE_FORMATS_TFRECORD_TFRECORD_FRAMING_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "base/bytes.h"
#include "base/decompressor.h"
#include "io/buffered_file.h"
#include "io/storage.h"
#include "shardine/status.h"

namespace shardine {

inline constexpr std::size_t kTfRecordHeader = 12;  // length, its checksum
inline constexpr std::size_t kTfRecordFooter = 4;   // checksum of the data
inline constexpr std::size_t kTfRecordFraming =
    kTfRecordHeader + kTfRecordFooter;

// Bytes of a record that no Example reaches: protobuf's limit.
inline constexpr std::uint64_t kMaxTfRecord = std::uint64_t{1} << 31;

// How TFRecords store a CRC-32C, so that the checksum of bytes that hold
// checksums is no weaker for it.
std::uint32_t MaskCrc(std::uint32_t crc);

// Do these bytes begin with a length and its right checksum?
bool BeginsWithRecord(ByteView bytes);

// How the whole file that begins with `head` is compressed: not at all,
// if it begins with a record, whatever magic number its length resembles; else
// kGzip or kZlib as it looks; kNone if neither.
Compression TfRecordCompression(ByteView head);

// Writes records of any content. The same bytes as TensorFlow's RecordWriter
// without compression. Thread-compatible. Destruction without Finish() abandons
// the file.
class TfRecordFileWriter {
 public:
  explicit TfRecordFileWriter(std::unique_ptr<WritableFile> file)
      : file_(std::move(file)) {}

  // One record that holds the pieces joined, so that a caller need not copy a
  // payload to where its names are.
  Status Append(std::span<const ByteView> pieces);

  // The file's size so far, where the next record begins.
  std::uint64_t bytes() const { return file_.size(); }

  // Flushes, syncs and closes. No calls after it.
  Status Finish() { return file_.Finish(); }

 private:
  BufferedFile file_;
};

}  // namespace shardine

#endif  // SHARDINE_FORMATS_TFRECORD_TFRECORD_FRAMING_H_
