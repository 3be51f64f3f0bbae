#include "support/late_storage.h"

#include <algorithm>
#include <condition_variable>
#include <latch>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "base/status_macros.h"
#include "io/read_many.h"

namespace shardine {
namespace {

struct Question {
  const RandomAccessFile* below = nullptr;
  Piece* piece = nullptr;
  std::latch* done = nullptr;
};

}  // namespace

class LateStorage::Server {
 public:
  explicit Server(std::chrono::milliseconds quiet)
      : quiet_(quiet), thread_([this](std::stop_token stop) { Run(stop); }) {}

  void Ask(const RandomAccessFile& below, std::span<Piece> pieces,
           std::latch& done) {
    const std::lock_guard lock(mutex_);
    for (Piece& piece : pieces) asked_.push_back({&below, &piece, &done});
    changed_.notify_all();
  }
  std::uint64_t TakeWaits() {
    const std::lock_guard lock(mutex_);
    return std::exchange(waits_, 0);
  }

 private:
  void Run(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    while (changed_.wait(lock, stop, [&] { return !asked_.empty(); })) {
      std::size_t known = 0;
      while (known < asked_.size()) {
        known = asked_.size();
        changed_.wait_for(lock, stop, quiet_,
                          [&] { return asked_.size() > known; });
      }
      const std::vector<Question> questions = std::exchange(asked_, {});
      ++waits_;
      lock.unlock();
      for (auto each = questions.rbegin(); each != questions.rend(); ++each) {
        each->piece->status =
            each->below->ReadExactly(each->piece->offset, each->piece->out);
        each->done->count_down();
      }
      lock.lock();
    }
  }

  const std::chrono::milliseconds quiet_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::vector<Question> asked_;  // guarded by mutex_
  std::uint64_t waits_ = 0;      // guarded by mutex_
  std::jthread thread_;          // joined before all else goes
};

class LateStorage::LateFile : public RandomAccessFile {
 public:
  LateFile(std::unique_ptr<RandomAccessFile> below, Server& server)
      : below_(std::move(below)), server_(server) {}

  // One read alone waits as well.
  Result<std::size_t> ReadAt(std::uint64_t offset,
                             std::span<std::byte> out) const override {
    const std::uint64_t end = below_->size();
    const std::uint64_t rest = offset < end ? end - offset : 0;
    out = out.first(std::min<std::uint64_t>(out.size(), rest));
    Piece piece{this, offset, out};
    ReadMany(std::span(&piece, 1));
    SHARDINE_RETURN_IF_ERROR(piece.status);
    return out.size();
  }
  void StartReads(std::span<Piece> pieces, std::latch& done) const override {
    server_.Ask(*below_, pieces, done);
  }
  std::uint64_t size() const override { return below_->size(); }
  const std::string& path() const override { return below_->path(); }

 private:
  const std::unique_ptr<RandomAccessFile> below_;
  Server& server_;
};

LateStorage::LateStorage(ReadableStorage& below,
                         std::chrono::milliseconds quiet)
    : StorageOver(below), server_(std::make_unique<Server>(quiet)) {}
LateStorage::~LateStorage() = default;

Result<std::unique_ptr<RandomAccessFile>> LateStorage::Open(
    const std::string& path) {
  SHARDINE_ASSIGN_OR_RETURN(auto file, below().Open(path));
  return std::unique_ptr<RandomAccessFile>(
      std::make_unique<LateFile>(std::move(file), *server_));
}

std::uint64_t LateStorage::TakeWaits() { return server_->TakeWaits(); }

}  // namespace shardine
