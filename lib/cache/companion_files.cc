#include "cache/companion_files.h"

#include <algorithm>
#include <utility>

#include "base/bytes.h"
#include "base/checksum.h"
#include "base/status_macros.h"
#include "cache/whole_file.h"

namespace shardine {
namespace {

using Room = std::atomic<std::uint64_t>;

// Bytes that are taken from the shared room, and given back.
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

// A file that lies in the cache; its path is the server's, which people know.
class Kept : public RandomAccessFile {
 public:
  Kept(const KnownFile& file, CacheDescriptor kept)
      : path_(file.path), size_(file.bytes), kept_(std::move(kept)) {}

  Result<std::size_t> ReadAt(std::uint64_t offset,
                             std::span<std::byte> out) const override {
    return ReadDescriptor(kept_, offset, out);
  }
  std::uint64_t size() const override { return size_; }
  const std::string& path() const override { return path_; }

 private:
  const std::string path_;
  const std::uint64_t size_;
  const CacheDescriptor kept_;
};

std::unique_ptr<RandomAccessFile> Opened(const KnownFile& file,
                                         CacheDescriptor kept) {
  return std::make_unique<Kept>(file, std::move(kept));
}

// The digest of the whole file.
Digest128 DigestOf(const CacheDescriptor& file) {
  constexpr std::size_t kWindow = 1 << 20;
  Xxh3Stream digest;
  ByteBuffer window;
  window.Resize(kWindow);
  for (std::uint64_t at = 0;; at += kWindow) {
    const std::size_t read = ReadDescriptor(file, at, window.span());
    digest.Update(window.view().first(read));
    if (read < kWindow) return digest.Digest();
  }
}

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

CompanionFiles::CompanionFiles(std::shared_ptr<CacheFolder> folder,
                               std::uint64_t most_in_memory)
    : folder_(std::move(folder)),
      room_(std::make_shared<Room>(most_in_memory)) {}

bool CompanionFiles::IsSound(const CacheFolder& folder,
                             const std::string& name) {
  const CacheDescriptor file = folder.Find(name);
  return !file || DigestOf(file) == DigestOfCacheName(name);
}

// None: it is not kept, or has changed; a damaged file is removed.
CacheDescriptor CompanionFiles::FindKept(const KnownFile& file) const {
  const std::string name = CacheName(CachedKind::kCompanion, file);
  CacheDescriptor kept = folder_->Find(name);
  if (!kept || DigestOf(kept) == file.digest) return kept;
  static_cast<void>(folder_->Remove(name).ok());
  return CacheDescriptor();
}

// None: the folder is not to be written to, or another process is at it.
Result<CacheDescriptor> CompanionFiles::Keep(ReadableStorage& storage,
                                             const KnownFile& file) const {
  // One file is not to make room of all others.
  if (file.bytes > folder_->limits().bytes / 4) return CacheDescriptor();
  const std::string name = CacheName(CachedKind::kCompanion, file);
  CacheDescriptor part = folder_->BeginPart(name);
  if (!part) return FindKept(file);
  std::uint64_t written = 0;
  bool is_kept = folder_->MakeRoom(file.bytes);
  const bool has_room = is_kept;
  Status fetched;
  if (is_kept) {
    fetched = FetchWhole(storage, file, [&](ByteView bytes) {
      is_kept = folder_->Write(part, written, bytes);
      written += bytes.size();
      return is_kept ? Status() : Status(Code::kIo, "not kept");
    });
  }
  if (has_room) folder_->EndWrite(file.bytes);
  if (is_kept && fetched.ok() && folder_->Publish(part, name)) return part;
  folder_->RemovePart(name);
  if (is_kept && !fetched.ok()) return fetched;
  return CacheDescriptor();
}

Result<std::unique_ptr<RandomAccessFile>> CompanionFiles::Fetch(
    ReadableStorage& storage, const KnownFile& file) const {
  // Many threads open shards at a time.
  const TakenRoom on_its_way(room_, 2 * std::min(file.bytes, kFetchBytes / 2));
  if (!on_its_way.is_taken()) return storage.Open(file.path);
  if (folder_ != nullptr) {
    SHARDINE_ASSIGN_OR_RETURN(CacheDescriptor kept, Keep(storage, file));
    if (kept) return Opened(file, std::move(kept));
  }
  TakenRoom room(room_, file.bytes);
  if (!room.is_taken()) return storage.Open(file.path);
  return FetchIntoMemory(storage, file, std::move(room));
}

Result<std::unique_ptr<RandomAccessFile>> CompanionFiles::Open(
    ReadableStorage& storage, const KnownFile& file) const {
  constexpr int kTries = 2;
  if (folder_ != nullptr) {
    CacheDescriptor kept = FindKept(file);
    if (kept) return Opened(file, std::move(kept));
  }
  for (int i = 1;; ++i) {
    auto fetched = Fetch(storage, file);
    // Damage from the transfer may be absent the next time.
    const bool again = fetched.status().code() == Code::kCorrupt && i < kTries;
    if (!again) return fetched;
  }
}

}  // namespace shardine
