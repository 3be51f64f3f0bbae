// The index that DALI reads beside a TFRecord file: one line `offset size` per
// record. Layout: FORMAT.md, "Index".
#ifndef SHARDINE_FORMATS_TFRECORD_TFRECORD_INDEX_H_
#define SHARDINE_FORMATS_TFRECORD_TFRECORD_INDEX_H_

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "io/buffered_file.h"
#include "io/storage.h"
#include "shardine/status.h"

namespace shardine {

// Thread-compatible. Destruction without Finish() abandons the file.
class TfRecordIndexWriter {
 public:
  explicit TfRecordIndexWriter(std::unique_ptr<WritableFile> file)
      : file_(std::move(file)) {}

  // `size` is the record's with its framing.
  Status Append(std::uint64_t offset, std::uint64_t size);
  // Flushes, syncs and closes. No calls after it.
  Status Finish() { return file_.Finish(); }

 private:
  BufferedFile file_;
  std::string line_;
};

// The index that DALI's tfrecord2idx makes of a file. kUnsupported for one that
// is compressed: it has no offsets to go to.
Result<std::string> TfRecordIndexOf(const RandomAccessFile& file);

// Is the index at `path` exactly the one of a file of `shard_bytes` bytes with
// records at these offsets? kCorrupt with path, record and byte at the first
// difference.
Status CheckTfRecordIndex(ReadableStorage& storage, const std::string& path,
                          std::span<const std::uint64_t> record_offsets,
                          std::uint64_t shard_bytes);

}  // namespace shardine

#endif  // SHARDINE_FORMATS_TFRECORD_TFRECORD_INDEX_H_
