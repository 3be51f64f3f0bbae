// ForwardFile: a file of a server that is read from its start to its end,
// mostly.
#ifndef SHARDINE_IO_FORWARD_FILE_H_
#define SHARDINE_IO_FORWARD_FILE_H_

#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>

#include "io/readable_storage.h"

namespace shardine {

// Asks in advance for 32 MiB after each read, in ranges of 4 MiB, so that reads
// wait for the link and not for each answer. A read elsewhere goes on from
// there.
class ForwardFile : public RandomAccessFile {
 public:
  explicit ForwardFile(std::unique_ptr<RandomAccessFile> file)
      : file_(std::move(file)) {}

  Result<std::size_t> ReadAt(std::uint64_t offset,
                             std::span<std::byte> out) const override;
  std::uint64_t size() const override { return file_->size(); }
  const std::string& path() const override { return file_->path(); }
  std::uint64_t StoredFrom(std::uint64_t offset) const override {
    return file_->StoredFrom(offset);
  }
  void StartReads(std::span<Piece> pieces, std::latch& done) const override {
    file_->StartReads(pieces, done);
  }
  bool ReadAgain(std::span<Piece> pieces) const override {
    return file_->ReadAgain(pieces);
  }
  void EndReads(std::span<Piece> pieces) const override {
    file_->EndReads(pieces);
  }
  void Forget(std::uint64_t offset, std::uint64_t size) const override {
    file_->Forget(offset, size);
  }

 private:
  void AskAhead(std::uint64_t range) const;

  const std::unique_ptr<RandomAccessFile> file_;
  mutable std::mutex mutex_;
  // Ranges that are held, from the one that was read last on, without a gap; an
  // empty one could not be had. Guarded by mutex_.
  mutable std::deque<std::shared_ptr<const void>> held_;
  mutable std::uint64_t first_ =
      0;  // the number of the first; guarded by mutex_
};

}  // namespace shardine

#endif  // SHARDINE_IO_FORWARD_FILE_H_
