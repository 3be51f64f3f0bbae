// A model of a disk that seeks, by the clock: one head that moves to wherever a
// read or a hint begins and then reads on, over whatever storage has the files;
// the last GiB that it read stays in memory.
#ifndef SHARDINE_TESTS_BENCH_SEEKING_DISK_H_
#define SHARDINE_TESTS_BENCH_SEEKING_DISK_H_

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/status_macros.h"
#include "io/readable_storage.h"

namespace shardine {

using Clock = std::chrono::steady_clock;

inline constexpr std::uint64_t kPage = 64 << 10;
inline constexpr std::size_t kPages = (std::size_t{1} << 30) / kPage;

class Disk {
 public:
  Disk(double seeks, double rate) : seek_(1 / seeks), rate_(rate) {}

  // Returns when the bytes are in memory.
  void Read(int file, std::uint64_t offset, std::uint64_t size) {
    if (size > 0) std::this_thread::sleep_until(Queue(file, offset, size));
  }

  // Returns when the bytes will be in memory. As in the kernel, hinted bytes
  // are in the queue from now on, and their readers wait for them.
  Clock::time_point Queue(int file, std::uint64_t offset, std::uint64_t size) {
    const std::lock_guard lock(mutex_);
    Clock::time_point ready{};
    const std::uint64_t last = (offset + size - 1) / kPage;
    for (std::uint64_t page = offset / kPage; page <= last; ++page) {
      ready = std::max(ready, QueuePage({file, page}));
    }
    return ready;
  }

  // Until now, hints included.
  std::uint64_t seeks() const {
    const std::lock_guard lock(mutex_);
    return seeks_;
  }
  std::uint64_t bytes() const {
    const std::lock_guard lock(mutex_);
    return bytes_;
  }

 private:
  using Page = std::pair<int, std::uint64_t>;

  Clock::time_point QueuePage(const Page& page) {
    const auto [kept, is_new] = kept_.try_emplace(page);
    if (!is_new) return kept->second;
    const double seconds =
        (head_ == page ? 0 : seek_) + static_cast<double>(kPage) / rate_;
    seeks_ += head_ == page ? 0 : 1;
    bytes_ += kPage;
    free_ = std::max(free_, Clock::now()) +
            std::chrono::duration_cast<Clock::duration>(
                std::chrono::duration<double>(seconds));
    head_ = {page.first, page.second + 1};
    const Clock::time_point ready = kept->second = free_;
    order_.push_back(page);
    if (order_.size() > kPages) {
      kept_.erase(order_.front());
      order_.pop_front();
    }
    return ready;
  }

  const double seek_;  // seconds
  const double rate_;  // bytes a second
  mutable std::mutex mutex_;
  // Guarded by mutex_.
  Clock::time_point free_;
  std::uint64_t seeks_ = 0;
  std::uint64_t bytes_ = 0;
  Page head_{-1, 0};
  std::map<Page, Clock::time_point> kept_;  // when it came, or comes
  std::deque<Page> order_;
};

class DiskFile : public RandomAccessFile {
 public:
  DiskFile(std::unique_ptr<RandomAccessFile> below, Disk& disk, int number)
      : below_(std::move(below)), disk_(disk), number_(number) {}

  Result<std::size_t> ReadAt(std::uint64_t offset,
                             std::span<std::byte> out) const override {
    disk_.Read(number_, offset, out.size());
    return below_->ReadAt(offset, out);
  }
  std::uint64_t size() const override { return below_->size(); }
  const std::string& path() const override { return below_->path(); }
  std::shared_ptr<const void> ReadAhead(
      std::uint64_t offset, std::uint64_t size,
      std::uint64_t& /*room*/) const override {
    if (size > 0) disk_.Queue(number_, offset, size);
    return nullptr;
  }

 private:
  const std::unique_ptr<RandomAccessFile> below_;
  Disk& disk_;
  const int number_;
};

class DiskStorage : public ReadableStorage {
 public:
  // `below` must outlive it.
  DiskStorage(ReadableStorage& below, double seeks, double rate)
      : below_(below), disk_(seeks, rate) {}

  const Disk& disk() const { return disk_; }

  Result<std::unique_ptr<RandomAccessFile>> Open(
      const std::string& path) override {
    SHARDINE_ASSIGN_OR_RETURN(auto file, below_.Open(path));
    return std::unique_ptr<RandomAccessFile>(
        new DiskFile(std::move(file), disk_, NumberOf(path)));
  }
  Result<FileInfo> Stat(const std::string& path) override {
    return below_.Stat(path);
  }
  Result<std::vector<DirEntry>> List(const std::string& folder) override {
    return below_.List(folder);
  }

 private:
  int NumberOf(const std::string& path) {
    const std::lock_guard lock(mutex_);
    return numbers_.try_emplace(path, static_cast<int>(numbers_.size()))
        .first->second;
  }

  ReadableStorage& below_;
  Disk disk_;
  std::mutex mutex_;
  std::map<std::string, int> numbers_;  // guarded by mutex_
};

}  // namespace shardine

#endif  // SHARDINE_TESTS_BENCH_SEEKING_DISK_H_
