#include "support/ahead_storage.h"

#include <algorithm>
#include <mutex>
#include <utility>

#include "base/status_macros.h"
#include "io/ahead_range.h"

namespace shardine {

struct AheadStorage::Books {
  mutable std::mutex mutex;
  std::uint64_t missed = 0;
  std::uint64_t kept = 0;
  std::uint64_t most = 0;
  bool at_hand = false;

  void Change(std::uint64_t more, std::uint64_t fewer) {
    const std::lock_guard lock(mutex);
    kept = kept + more - fewer;
    most = std::max(most, kept);
  }
};

class AheadStorage::AheadFile : public RandomAccessFile {
 public:
  AheadFile(std::unique_ptr<RandomAccessFile> below,
            std::shared_ptr<Books> books)
      : below_(std::move(below)), books_(std::move(books)) {}

  Result<std::size_t> ReadAt(std::uint64_t offset,
                             std::span<std::byte> out) const override {
    if (ranges_.Find(offset, out.size()) == nullptr) {
      const std::lock_guard lock(books_->mutex);
      ++books_->missed;
    }
    return below_->ReadAt(offset, out);
  }
  bool IsAtHand(std::uint64_t /*offset*/) const override {
    const std::lock_guard lock(books_->mutex);
    return books_->at_hand;
  }
  std::shared_ptr<const void> ReadAhead(std::uint64_t offset,
                                        std::uint64_t size,
                                        std::uint64_t& room) const override {
    if (size > room) return nullptr;
    if (auto asked = ranges_.Find(offset, size)) return asked;
    room -= size;
    books_->Change(size, 0);
    const std::shared_ptr<AheadRange> range(
        new AheadRange(offset, size), [books = books_, size](AheadRange* held) {
          delete held;
          books->Change(0, size);
        });
    ranges_.Add(offset, range);
    return range;
  }
  std::uint64_t size() const override { return below_->size(); }
  const std::string& path() const override { return below_->path(); }

 private:
  const std::unique_ptr<RandomAccessFile> below_;
  const std::shared_ptr<Books> books_;
  mutable AheadRanges ranges_;
};

AheadStorage::AheadStorage(ReadableStorage& below)
    : StorageOver(below), books_(std::make_shared<Books>()) {}
AheadStorage::~AheadStorage() = default;

Result<std::unique_ptr<RandomAccessFile>> AheadStorage::Open(
    const std::string& path) {
  SHARDINE_ASSIGN_OR_RETURN(auto file, below().Open(path));
  return std::unique_ptr<RandomAccessFile>(
      std::make_unique<AheadFile>(std::move(file), books_));
}

void AheadStorage::SetAtHand(bool at_hand) {
  const std::lock_guard lock(books_->mutex);
  books_->at_hand = at_hand;
}

std::uint64_t AheadStorage::TakeMissed() {
  const std::lock_guard lock(books_->mutex);
  return std::exchange(books_->missed, 0);
}

std::uint64_t AheadStorage::kept_bytes() const {
  const std::lock_guard lock(books_->mutex);
  return books_->kept;
}

std::uint64_t AheadStorage::most_kept_bytes() const {
  const std::lock_guard lock(books_->mutex);
  return books_->most;
}

}  // namespace shardine
