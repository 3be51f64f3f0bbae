// Writes the members of a tar archive. Byte layout: FORMAT.md, "Headers".
#ifndef SHARDINE_FORMATS_WEBDATASET_TAR_FILE_WRITER_H_
#define SHARDINE_FORMATS_WEBDATASET_TAR_FILE_WRITER_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "base/bytes.h"
#include "io/buffered_file.h"
#include "io/storage.h"
#include "shardine/status.h"

namespace shardine {

// Thread-compatible. Destruction without Finish() abandons the file.
class TarFileWriter {
 public:
  explicit TarFileWriter(std::unique_ptr<WritableFile> file)
      : file_(std::move(file)) {}

  // A regular file that holds `head` and then `tail`: two views, so that a
  // caller need not copy an array after its header.
  Status Append(std::string_view name, ByteView head, ByteView tail = {});

  // The file's size so far, where the next member's first header begins.
  std::uint64_t bytes() const { return file_.size(); }
  // Where the data of the last member begins.
  std::uint64_t data_offset() const { return data_offset_; }

  // The end marker (two blocks; no filling up to whole tape records), flush,
  // sync and close. No calls but bytes() after it.
  Status Finish();

 private:
  BufferedFile file_;
  std::string header_;
  std::uint64_t data_offset_ = 0;
};

}  // namespace shardine

#endif  // SHARDINE_FORMATS_WEBDATASET_TAR_FILE_WRITER_H_
