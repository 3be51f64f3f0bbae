#include "cache/companion_files.h"

#include <algorithm>
#include <utility>

#include "base/bytes.h"
#include "base/status_macros.h"
#include "cache/whole_file.h"

namespace shardine {
namespace {

using Room = std::atomic<std::uint64_t>;

// Bytes that are taken from what there is, and given back.
class TakenRoom {
 public:
  TakenRoom(std::shared_ptr<Room> room, std::uint64_t bytes)
      : room_(std::move(room)) {
    std::uint64_t left = room_->load();
    while (bytes <= left) {
      if (room_->compare_exchange_weak(left, left - bytes)) {
        bytes_ = bytes;
        return;
      }
    }
    room_ = nullptr;
  }
  TakenRoom(TakenRoom&& other) noexcept = default;
  TakenRoom& operator=(TakenRoom&&) = delete;
  ~TakenRoom() {
    if (room_ != nullptr) *room_ += bytes_;
  }

  bool is_taken() const { return room_ != nullptr; }

 private:
  std::shared_ptr<Room> room_;  // null: nothing was taken, or it moved on
  std::uint64_t bytes_ = 0;
};

class InMemory : public RandomAccessFile {
 public:
  InMemory(std::string path, ByteBuffer bytes, TakenRoom room)
      : path_(std::move(path)),
        bytes_(std::move(bytes)),
        room_(std::move(room)) {}

  Result<std::size_t> ReadAt(std::uint64_t offset,
                             std::span<std::byte> out) const override {
    if (offset >= bytes_.size()) return std::size_t{0};
    const ByteView rest = bytes_.view().subspan(offset);
    const std::size_t size = std::min(out.size(), rest.size());
    std::ranges::copy(rest.first(size), out.begin());
    return size;
  }
  bool IsAtHand(std::uint64_t offset) const override {
    return offset < bytes_.size();
  }
  std::uint64_t size() const override { return bytes_.size(); }
  const std::string& path() const override { return path_; }

 private:
  const std::string path_;
  const ByteBuffer bytes_;
  const TakenRoom room_;
};

Result<std::unique_ptr<RandomAccessFile>> FetchIntoMemory(
    ReadableStorage& storage, const KnownFile& file, TakenRoom room) {
  ByteBuffer bytes;
  SHARDINE_RETURN_IF_ERROR(FetchWhole(storage, file, [&](ByteView part) {
    bytes.Reserve(file.bytes);
    bytes.Append(part);
    return Status();
  }));
  return std::unique_ptr<RandomAccessFile>(
      std::make_unique<InMemory>(file.path, std::move(bytes), std::move(room)));
}

}  // namespace

CompanionFiles::CompanionFiles(std::uint64_t most_in_memory)
    : room_(std::make_shared<Room>(most_in_memory)) {}

Result<std::unique_ptr<RandomAccessFile>> CompanionFiles::Open(
    ReadableStorage& storage, const KnownFile& file) const {
  constexpr int kTries = 2;
  for (int i = 1;; ++i) {
    TakenRoom room(room_, file.bytes);
    if (!room.is_taken()) return storage.Open(file.path);
    auto fetched = FetchIntoMemory(storage, file, std::move(room));
    // What was wrong on its way may be right the next time.
    const bool again = fetched.status().code() == Code::kCorrupt && i < kTries;
    if (!again) return fetched;
  }
}

}  // namespace shardine
