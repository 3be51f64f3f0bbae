// The .idx file that MXNet reads beside a .rec: one line `key TAB offset` per
// record. Layout: FORMAT.md, "Index".
#ifndef SHARDINE_FORMATS_RECORDIO_RECORDIO_INDEX_H_
#define SHARDINE_FORMATS_RECORDIO_RECORDIO_INDEX_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "io/storage.h"
#include "shard/format.h"
#include "shardine/status.h"

namespace shardine {

struct IdxEntry {
  std::uint64_t key = 0;     // the record's id, as packing tools write it
  std::uint64_t offset = 0;  // of the record's first magic word in the .rec

  friend bool operator==(const IdxEntry&, const IdxEntry&) = default;
};

// Thread-compatible. Destruction without Finish() abandons the file.
class IdxWriter {
 public:
  explicit IdxWriter(std::unique_ptr<WritableFile> file);

  Status Append(const IdxEntry& entry);
  // Flushes, syncs and closes. No calls after it.
  Status Finish();

 private:
  Status Flush();

  std::unique_ptr<WritableFile> file_;
  std::string buffer_;
};

// Reads an .idx line by line in memory that does not grow with the file.
// Accepts CRLF and a last line without its newline; anything else that is not
// two numbers below 2^64 and a tab is kCorrupt with path, record (the number
// of the line, from 0) and byte. An offset of 2^64 - 1 is reported as the mark
// of a writer whose position overflowed.
//
// Thread-compatible. The file must outlive the reader.
class IdxReader {
 public:
  explicit IdxReader(const RandomAccessFile& file) : file_(file) {}

  // nullopt at the end of the file.
  Result<std::optional<IdxEntry>> Next();

  // The line of the entry that Next() returned last.
  std::uint64_t line() const { return line_ - 1; }  // from 0
  std::uint64_t line_offset() const { return line_offset_; }

 private:
  Result<std::string_view> NextLine();
  Status Corrupt(const std::string& message) const;

  const RandomAccessFile& file_;
  ByteBuffer window_;
  std::size_t window_position_ = 0;  // first byte of `window_` not yet used
  std::uint64_t file_position_ = 0;  // of the end of `window_`
  std::uint64_t line_ = 0;           // lines returned so far
  std::uint64_t line_offset_ = 0;
};

// The whole file, in its order.
Result<std::vector<IdxEntry>> ReadIdx(const RandomAccessFile& file);

// The records of an .idx, in the order of its lines. Failures as of IdxReader.
Result<std::vector<ListedRecord>> ListIdx(const RandomAccessFile& file);

// The .idx that MXNet's rec2idx.py makes of a .rec: its records are numbered
// from 0, whatever their ids are.
Result<std::string> IdxOf(const RandomAccessFile& rec);

// Does the .idx at `path` list exactly these records, in file order, each
// under its id? kCorrupt with path, record and byte at the first difference.
// REQUIRES: record_offsets.size() == ids.size().
Status CheckIdx(ReadableStorage& storage, const std::string& path,
                std::span<const std::uint64_t> record_offsets,
                std::span<const std::uint64_t> ids);

// The key that the .idx at `path` gives to the record at each of these offsets,
// whatever the order of its lines. kCorrupt unless it lists just these records.
Result<std::vector<std::uint64_t>> ReadIdxKeys(
    ReadableStorage& storage, const std::string& path,
    std::span<const std::uint64_t> record_offsets);

}  // namespace shardine

#endif  // SHARDINE_FORMATS_RECORDIO_RECORDIO_INDEX_H_
