// RecordIO framing as dmlc-core writes it: a record is one part, or several
// where its bytes hold the magic word. Byte layout: FORMAT.md, "Framing".
#ifndef SHARDINE_FORMATS_RECORDIO_RECORDIO_FRAMING_H_
#define SHARDINE_FORMATS_RECORDIO_RECORDIO_FRAMING_H_

#include <cstddef>
#include <cstdint>
#include <memory>

#include "base/bytes.h"
#include "io/buffered_file.h"
#include "io/storage.h"
#include "shardine/status.h"

namespace shardine {

inline constexpr std::uint32_t kRecordIoMagic = 0xced7230a;
// Every record, whatever header its content begins with, is shorter.
inline constexpr std::uint64_t kRecordIoRecordLimit = std::uint64_t{1} << 29;
inline constexpr std::size_t kRecordIoPartHeader = 8;  // magic, lrec

// The top three bits of lrec. Never renumber.
enum class RecordIoPart : std::uint32_t {
  kWhole = 0,
  kFirst = 1,
  kMiddle = 2,
  kLast = 3,
};

// The offset of the first magic word that begins at a multiple of four, at or
// after `from`; bytes.size() if there is none. REQUIRES: from % 4 == 0.
std::size_t FindAlignedMagic(ByteView bytes, std::size_t from);

// Writes records to a file, through a buffer. The same bytes as dmlc-core's
// RecordIOWriter. Thread-compatible. Destruction without Finish() abandons the
// file.
class RecordIoFileWriter {
 public:
  explicit RecordIoFileWriter(std::unique_ptr<WritableFile> file);

  // One record that holds `prefix` and then `payload`: two views, so that a
  // caller need not copy an image after its header. kUnsupported, with
  // nothing written, if they are kRecordIoRecordLimit bytes or more together.
  // REQUIRES: prefix.size() % 4 == 0.
  Status Append(ByteView prefix, ByteView payload);

  // The file's size so far, where the next record begins.
  std::uint64_t bytes() const { return file_.size(); }

  // The file that was given holds all records appended so far.
  Status Flush() { return file_.Flush(); }
  // Flushes, syncs and closes. No calls after it.
  Status Finish() { return file_.Finish(); }

 private:
  Status PutPart(RecordIoPart part, ByteView head, ByteView tail);

  BufferedFile file_;
};

}  // namespace shardine

#endif  // SHARDINE_FORMATS_RECORDIO_RECORDIO_FRAMING_H_
