// The file of a part: its samples as they were appended, each with a checksum,
// until they are joined with those of other parts. Layout: dataset/FORMAT.md,
// "Parts".
#ifndef SHARDINE_PACK_PART_FILE_H_
#define SHARDINE_PACK_PART_FILE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/checksum.h"
#include "io/buffered_file.h"
#include "io/file_window.h"
#include "io/storage.h"
#include "pack/new_sample.h"
#include "shardine/dataset_writer.h"
#include "shardine/digest.h"
#include "shardine/sample.h"
#include "shardine/status.h"

namespace shardine {

// The totals at the end of the file.
struct PartTotals {
  std::uint64_t samples = 0;
  Digest128 content_digest;  // sum over the samples

  friend bool operator==(const PartTotals&, const PartTotals&) = default;
};

// Thread-compatible. Destruction without Finish() leaves an unfinished file.
class PartFileWriter {
 public:
  static Result<PartFileWriter> Begin(Storage& storage, const std::string& path,
                                      const DatasetWriterOptions& options);

  Status Append(std::string_view split, const CheckedSample& sample);
  // The file is whole and on stable storage then.
  Status Finish();

  const PartTotals& totals() const { return totals_; }

 private:
  explicit PartFileWriter(std::unique_ptr<WritableFile> file);
  Status AppendFrame(std::string_view bytes);

  std::unique_ptr<BufferedFile> file_;
  std::string frame_;  // memory that is used again
  std::uint64_t frames_ = 0;
  Xxh3Stream chain_;
  PartTotals totals_;
};

// Thread-compatible.
class PartFileReader {
 public:
  // kCorrupt: not such a file. Its samples are not looked at.
  static Result<std::unique_ptr<PartFileReader>> Open(ReadableStorage& storage,
                                                      const std::string& path);

  // As the file says.
  const DatasetWriterOptions& options() const { return options_; }
  const PartTotals& totals() const { return totals_; }

  // The next sample, whose views are valid until the next call. Null after the
  // last: then the file holds exactly its totals. kCorrupt with file, byte and,
  // for a sample, record. Checks that a sample's bytes are those that were
  // written, not that the sample is valid.
  Result<const NewSample*> Next();
  // The place of the sample that was read last.
  Where where() const;

 private:
  explicit PartFileReader(std::unique_ptr<RandomAccessFile> file)
      : file_(std::move(file)), window_(*file_, {}) {}
  Status ReadBeginning();
  Result<ByteView> ReadFrame();
  bool ParseSample(ByteView frame);
  bool ParseField(class ByteCursor& cursor);
  Status CheckEnd();

  std::unique_ptr<RandomAccessFile> file_;
  FileWindow window_;
  DatasetWriterOptions options_;
  PartTotals totals_;
  PartTotals read_;
  std::uint64_t frames_ = 0;
  std::uint64_t at_ = 0;     // of the next frame
  std::uint64_t begun_ = 0;  // of the last one
  Xxh3Stream chain_;
  NewSample sample_;
  std::vector<Label> labels_;
  std::vector<FieldView> fields_;
  std::vector<std::vector<std::uint64_t>> shapes_;
};

}  // namespace shardine

#endif  // SHARDINE_PACK_PART_FILE_H_
