// MarkedFile: a file that is written over several runs. Any length of it can be
// marked, with the digest of the bytes before; a later run finds out how many
// of the marks still hold, drops the bytes after the last of them, and goes on.
// Nothing is synced for a mark: after a power cut fewer of them hold.
#ifndef SHARDINE_IM2REC_MARKED_FILE_H_
#define SHARDINE_IM2REC_MARKED_FILE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "base/checksum.h"
#include "io/storage.h"
#include "shardine/status.h"

namespace shardine {

// The first `bytes` bytes of a file.
struct FileMark {
  std::uint64_t bytes = 0;
  Digest128 digest = Xxh3_128({});

  friend bool operator==(const FileMark&, const FileMark&) = default;
};

// Thread-compatible.
class MarkedFile : public WritableFile {
 public:
  // A new, empty file; one under that name gives way.
  static Result<std::unique_ptr<MarkedFile>> Create(Storage& storage,
                                                    const std::string& path);
  // Goes on after `mark`; the bytes beyond it are dropped. kChanged if the file
  // does not begin as the mark says.
  static Result<std::unique_ptr<MarkedFile>> TakeUp(Storage& storage,
                                                    const std::string& path,
                                                    const FileMark& mark);

  // The mark of all bytes appended in this and earlier runs.
  FileMark mark() const { return {bytes_, hash_.Digest()}; }

  Status Append(ByteView bytes) override;
  Status Sync() override { return file_->Sync(); }
  Status Close() override { return file_->Close(); }
  const std::string& path() const override { return file_->path(); }

 private:
  explicit MarkedFile(std::unique_ptr<WritableFile> file)
      : file_(std::move(file)) {}

  std::unique_ptr<WritableFile> file_;
  std::uint64_t bytes_ = 0;
  Xxh3Stream hash_;
};

// How many of `marks`, from the first one, the file agrees with: it is read up
// to the last of them, and no further than the first that fails. A file that is
// not there has no bytes. `marks` never become shorter; one that does holds no
// more.
Result<std::size_t> CountHolding(ReadableStorage& storage,
                                 const std::string& path,
                                 std::span<const FileMark> marks);

}  // namespace shardine

#endif  // SHARDINE_IM2REC_MARKED_FILE_H_
