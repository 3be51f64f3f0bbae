#include "cache/cached_shard.h"

#include <algorithm>
#include <chrono>
#include <latch>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/fork_mutex.h"
#include "base/status_macros.h"
#include "base/stop_scope.h"
#include "base/turn.h"
#include "cache/block_file.h"
#include "io/read_many.h"
#include "remote/cache_counts.h"

namespace shardine {
namespace {

// A piece of which some blocks have to be fetched.
struct MissedPiece {
  std::uint64_t first = 0;    // block; of the first byte of `blocks`
  ByteBuffer blocks;          // whole ones, around the bytes to be read
  std::uint64_t missing = 0;  // the first of those that are fetched
  const Piece* fetch = nullptr;
};

// The missed pieces of one StartReads().
struct MissedPieces {
  std::vector<MissedPiece> pieces;
  std::vector<Piece> fetches;
};

class CachedShard : public RandomAccessFile {
 public:
  CachedShard(std::shared_ptr<CacheFolder> folder, ReadableStorage& storage,
              const KnownFile& file, std::unique_ptr<BlockFile> kept)
      : folder_(std::move(folder)),
        storage_(storage),
        file_(file),
        kept_(std::move(kept)) {}

  std::uint64_t size() const override { return file_.bytes; }
  const std::string& path() const override { return file_.path; }

  Result<std::size_t> ReadAt(std::uint64_t offset,
                             std::span<std::byte> out) const override {
    return ReadOnePiece(*this, offset, out);
  }

  void StartReads(std::span<Piece> pieces, std::latch& done) const override;
  void EndReads(std::span<Piece> pieces) const override;

  // The bytes read here are not kept: their next reader asks the server for
  // them.
  bool ReadAgain(std::span<Piece> pieces) const override {
    for (const Piece& piece : pieces) Forget(piece.offset, piece.out.size());
    const auto remote = Remote();
    if (!remote.ok()) return false;
    std::vector<Piece> fetches;
    for (const Piece& piece : pieces) {
      fetches.push_back(
          {.file = *remote, .offset = piece.offset, .out = piece.out});
    }
    if (!(*remote)->ReadAgain(fetches)) return false;
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      pieces[i].status = fetches[i].status;
    }
    return true;
  }

  bool IsAtHand(std::uint64_t offset) const override {
    return offset < size() && kept_->MayHave(offset / BlockFile::kBlock);
  }

  std::shared_ptr<const void> ReadAhead(std::uint64_t offset,
                                        std::uint64_t size,
                                        std::uint64_t& room) const override {
    if (offset >= file_.bytes || size == 0) return nullptr;
    const std::uint64_t first = offset / BlockFile::kBlock;
    const std::uint64_t last =
        (std::min(offset + size, file_.bytes) - 1) / BlockFile::kBlock;
    std::uint64_t begin = first;
    std::uint64_t end = last + 1;
    while (begin < end && kept_->MayHave(begin)) ++begin;
    while (begin < end && kept_->MayHave(end - 1)) --end;
    if (begin == end) return nullptr;
    const auto opened = Remote();
    if (!opened.ok()) return nullptr;
    return (*opened)->ReadAhead(begin * BlockFile::kBlock,
                                kept_->BytesOf(begin, end - begin), room);
  }

  void Forget(std::uint64_t offset, std::uint64_t size) const override {
    if (offset > file_.bytes || size > file_.bytes - offset) return;
    kept_->Forget(offset, size);
    const RandomAccessFile* const remote = Opened();
    if (remote == nullptr || size == 0) return;
    const std::uint64_t first = offset / BlockFile::kBlock;
    const std::uint64_t last = (offset + size - 1) / BlockFile::kBlock;
    remote->Forget(first * BlockFile::kBlock,
                   kept_->BytesOf(first, last - first + 1));
  }

  // The file at the server, opened by the first reader that needs it.
  Result<const RandomAccessFile*> Remote() const {
    constexpr std::chrono::milliseconds kLook{10};
    for (;;) {
      if (const RandomAccessFile* const there = Opened()) return there;
      if (opening_.Take()) break;
      if (CurrentStop().stop_requested()) {
        return Status(Code::kCancelled, "reading was stopped");
      }
      std::this_thread::sleep_for(kLook);
    }
    const TurnEnd end(opening_);
    // Another thread may have ended between.
    if (const RandomAccessFile* const there = Opened()) return there;
    SHARDINE_ASSIGN_OR_RETURN(auto opened, OpenRemote());
    const std::lock_guard lock(ForkMutex());
    remote_ = std::move(opened);
    return remote_.get();
  }

 private:
  const RandomAccessFile* Opened() const {
    const std::lock_guard lock(ForkMutex());
    return remote_.get();
  }
  Result<std::unique_ptr<RandomAccessFile>> OpenRemote() const {
    SHARDINE_ASSIGN_OR_RETURN(auto opened, storage_.Open(file_.path));
    if (opened->size() == file_.bytes) return opened;
    return Status(Code::kCorrupt, "the shard has " +
                                      std::to_string(opened->size()) +
                                      " bytes, its index was made for " +
                                      std::to_string(file_.bytes))
        .At({.path = file_.path});
  }
  bool TakeKept(Piece& piece) const;
  bool Miss(const Piece& piece, MissedPiece& missed, Piece& fetch) const;

  const std::shared_ptr<CacheFolder> folder_;
  ReadableStorage& storage_;
  const KnownFile file_;
  const std::unique_ptr<BlockFile> kept_;
  mutable Turn opening_;
  mutable std::unique_ptr<RandomAccessFile> remote_;  // guarded by ForkMutex()
};

// Whether the piece ended here.
bool CachedShard::TakeKept(Piece& piece) const {
  const std::uint64_t rest = size() - std::min(piece.offset, size());
  if (piece.out.size() > rest) {
    piece.status = Status(Code::kCorrupt, "file ends early")
                       .At({.path = path(), .offset = piece.offset});
    return true;
  }
  return piece.out.empty() || kept_->Read(piece.offset, piece.out);
}

// Takes those blocks that are there; false: all are, now.
bool CachedShard::Miss(const Piece& piece, MissedPiece& missed,
                       Piece& fetch) const {
  missed.first = piece.offset / BlockFile::kBlock;
  const std::uint64_t last =
      (piece.offset + piece.out.size() - 1) / BlockFile::kBlock;
  missed.blocks.Resize(kept_->BytesOf(missed.first, last - missed.first + 1));
  const std::vector<bool> there =
      kept_->ReadBlocks(missed.first, missed.blocks.span());
  const auto from = std::ranges::find(there, false);
  if (from == there.end()) return false;
  const auto begin = static_cast<std::uint64_t>(from - there.begin());
  std::uint64_t end = there.size();
  while (there[end - 1]) --end;
  missed.missing = missed.first + begin;
  fetch.offset = missed.missing * BlockFile::kBlock;
  fetch.out = missed.blocks.span().subspan(
      begin * BlockFile::kBlock, kept_->BytesOf(missed.missing, end - begin));
  return true;
}

void CachedShard::StartReads(std::span<Piece> pieces, std::latch& done) const {
  const auto missed = std::make_shared<MissedPieces>();
  std::vector<Piece*> waiting;
  std::ptrdiff_t ended = 0;
  for (Piece& piece : pieces) {
    MissedPiece miss;
    Piece fetch;
    if (TakeKept(piece)) {
      if (piece.status.ok()) CountCacheHit(piece.out.size());
      ++ended;
      continue;
    }
    if (!Miss(piece, miss, fetch)) fetch.out = {};
    CountCacheMiss();
    missed->pieces.push_back(std::move(miss));
    missed->fetches.push_back(std::move(fetch));
    waiting.push_back(&piece);
  }
  if (ended > 0 && waiting.empty()) return done.count_down(ended);
  const Result<const RandomAccessFile*> remote = Remote();
  if (!remote.ok()) {
    for (Piece* piece : waiting) piece->status = remote.status();
    return done.count_down(static_cast<std::ptrdiff_t>(pieces.size()));
  }
  for (std::size_t i = 0; i < waiting.size(); ++i) {
    missed->fetches[i].file = *remote;
    missed->pieces[i].fetch = &missed->fetches[i];
    waiting[i]->held = std::shared_ptr<void>(missed, &missed->pieces[i]);
  }
  (*remote)->StartReads(missed->fetches, done);
  if (ended > 0) done.count_down(ended);
}

void CachedShard::EndReads(std::span<Piece> pieces) const {
  for (Piece& piece : pieces) {
    if (piece.held == nullptr) continue;
    const auto held = std::exchange(piece.held, nullptr);
    const auto& missed = *static_cast<const MissedPiece*>(held.get());
    piece.status = missed.fetch->status;
    if (!piece.status.ok()) continue;
    if (!missed.fetch->out.empty()) {
      kept_->Write(missed.missing, missed.fetch->out);
    }
    const std::uint64_t at = piece.offset - missed.first * BlockFile::kBlock;
    std::ranges::copy(missed.blocks.view().subspan(at, piece.out.size()),
                      piece.out.begin());
  }
}

}  // namespace

Result<std::unique_ptr<RandomAccessFile>> OpenCachedShard(
    std::shared_ptr<CacheFolder> folder, ReadableStorage& storage,
    const KnownFile& file) {
  std::unique_ptr<BlockFile> kept;
  if (folder != nullptr && folder->limits().holds_payloads) {
    kept = BlockFile::Open(*folder, file);
  }
  if (kept == nullptr) return storage.Open(file.path);
  // Not all blocks are of samples. A shard that is mostly kept is opened at the
  // server by the first reader that misses a block, after one more round trip.
  const bool is_new = kept->MissingBlocks() > kept->blocks() / 2;
  auto shard = std::make_unique<CachedShard>(std::move(folder), storage, file,
                                             std::move(kept));
  if (is_new) SHARDINE_RETURN_IF_ERROR(shard->Remote().status());
  return std::unique_ptr<RandomAccessFile>(std::move(shard));
}

}  // namespace shardine
