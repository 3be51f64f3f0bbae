// A .rec being written, and the .idx beside it: both appear under their names
// when they are complete, or neither does.
#ifndef SHARDINE_IM2REC_RECORD_FILE_H_
#define SHARDINE_IM2REC_RECORD_FILE_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/bytes.h"
#include "im2rec/list_entry.h"
#include "io/atomic_file.h"
#include "io/storage.h"
#include "recordio/recordio_framing.h"
#include "shardine/status.h"

namespace shardine {

// Thread-compatible. Ends in exactly one of Publish() or destruction, which
// abandons and leaves nothing.
class RecordFile {
 public:
  // An existing .rec stays untouched until Publish(). `storage` must outlive
  // this.
  static Result<std::unique_ptr<RecordFile>> Create(
      Storage& storage, std::string rec_path,
      std::optional<std::string> idx_path);
  RecordFile(const RecordFile&) = delete;
  RecordFile& operator=(const RecordFile&) = delete;
  ~RecordFile();

  // One record: the header of `entry`, its packed labels, the image. Adds
  // "id \t offset" to the .idx.
  Status Append(const ImageListEntry& entry, ByteView image);
  // Of the .rec so far.
  std::uint64_t bytes() const { return writer_.bytes(); }
  // Syncs both files, then renames. An older .idx is removed before the .rec
  // gets its name: a crash in between leaves a .rec without .idx, never one
  // with another's.
  Status Publish();

 private:
  RecordFile(Storage& storage, std::string rec_path,
             std::unique_ptr<WritableFile> file)
      : storage_(storage),
        rec_path_(std::move(rec_path)),
        writer_(std::move(file)) {}
  Status FlushIndex();

  Storage& storage_;
  std::string rec_path_;
  RecordIoFileWriter writer_;
  bool published_ = false;
  std::optional<std::string> idx_path_;
  std::optional<AtomicFile> idx_;
  std::string idx_text_;  // not yet in idx_
  std::string prefix_;    // of the record being written
};

}  // namespace shardine

#endif  // SHARDINE_IM2REC_RECORD_FILE_H_
