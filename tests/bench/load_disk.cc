// bench_load_disk DATASET ORDER SAMPLES [SEEKS_A_SECOND MEGABYTES_A_SECOND]:
// records a second, raw, of a disk that seeks, by the clock: ORDER is
// sequential, shuffle or blocks. The disk is a model: one head that moves to
// wherever a read or a hint begins and then reads on, over whatever storage has
// the files; the last GiB that it read stays in memory. Prints the rate.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <iostream>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

#include "base/status_macros.h"
#include "dataset/sample_source.h"
#include "io/local_storage.h"
#include "shardine/loader.h"
#include "shardine/loader_words.h"

namespace shardine {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::uint64_t kPage = 64 << 10;
constexpr std::size_t kPages = (std::size_t{1} << 30) / kPage;

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

 private:
  using Page = std::pair<int, std::uint64_t>;

  Clock::time_point QueuePage(const Page& page) {
    const auto [kept, is_new] = kept_.try_emplace(page);
    if (!is_new) return kept->second;
    const double seconds =
        (head_ == page ? 0 : seek_) + static_cast<double>(kPage) / rate_;
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
  std::mutex mutex_;
  // Guarded by mutex_.
  Clock::time_point free_;
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
  DiskStorage(double seeks, double rate) : disk_(seeks, rate) {}

  Result<std::unique_ptr<RandomAccessFile>> Open(
      const std::string& path) override {
    SHARDINE_ASSIGN_OR_RETURN(auto file, LocalStorage().Open(path));
    return std::unique_ptr<RandomAccessFile>(
        new DiskFile(std::move(file), disk_, NumberOf(path)));
  }
  Result<FileInfo> Stat(const std::string& path) override {
    return LocalStorage().Stat(path);
  }
  Result<std::vector<DirEntry>> List(const std::string& folder) override {
    return LocalStorage().List(folder);
  }

 private:
  int NumberOf(const std::string& path) {
    const std::lock_guard lock(mutex_);
    return numbers_.try_emplace(path, static_cast<int>(numbers_.size()))
        .first->second;
  }

  Disk disk_;
  std::mutex mutex_;
  std::map<std::string, int> numbers_;  // guarded by mutex_
};

Status Measure(const std::string& folder, SampleOrder order,
               std::uint64_t samples, double seeks, double megabytes) {
  DiskStorage storage(seeks, megabytes * 1e6);
  SHARDINE_ASSIGN_OR_RETURN(auto source,
                            SampleSource::Open(storage, folder, {}));
  const auto dataset = std::make_shared<const Dataset>(std::move(source));
  LoaderOptions options;
  options.batch_size = 64;
  options.threads = 2;
  options.order.order = order;
  options.last_batch = LastBatch::kShort;
  SHARDINE_ASSIGN_OR_RETURN(const auto loader,
                            Loader::Create(dataset, options));
  const auto begin = Clock::now();
  std::uint64_t read = 0;
  while (read < samples) {
    SHARDINE_ASSIGN_OR_RETURN(const auto batch, loader->Next());
    if (batch) read += batch->size();
  }
  const std::chrono::duration<double> took = Clock::now() - begin;
  std::printf("%.1f\n", static_cast<double>(read) / took.count());
  return {};
}

}  // namespace
}  // namespace shardine

int main(int argc, char** argv) {
  const auto order = argc < 3
                         ? std::nullopt
                         : shardine::EnumOf<shardine::SampleOrder>(argv[2]);
  if ((argc != 4 && argc != 6) || !order) {
    std::cerr << "usage: bench_load_disk DATASET sequential|shuffle|blocks "
                 "SAMPLES [SEEKS_A_SECOND MEGABYTES_A_SECOND]\n";
    return 2;
  }
  const shardine::Status status =
      shardine::Measure(argv[1], *order, std::strtoull(argv[3], nullptr, 10),
                        argc == 6 ? std::atof(argv[4]) : 110,
                        argc == 6 ? std::atof(argv[5]) : 170);
  if (!status.ok()) std::cerr << status.ToString() << "\n";
  return status.ok() ? 0 : 1;
}
