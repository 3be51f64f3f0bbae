#include "doctor/storage_probe.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <memory>
#include <span>
#include <utility>

#include "base/philox.h"
#include "base/status_macros.h"
#include "doctor/median.h"
#include "pipeline/parallel_for.h"

namespace shardine {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::uint64_t kPage = 4096;
constexpr std::uint64_t kStep = 1 << 20;  // of reads in order
constexpr std::uint64_t kMostImage = 4 << 20;
constexpr std::size_t kMostReads = 4096;  // of a measurement and reader
// Faster than any disk: 20 us to a read, 3 GB a second.
constexpr double kMemoryLatency = 20e-6;
constexpr double kMemoryRate = 3e9;

std::uint64_t UpToPage(std::uint64_t bytes) {
  return (bytes + kPage - 1) / kPage * kPage;
}

// O_DIRECT takes memory at multiples of a page.
class PageBuffer {
 public:
  explicit PageBuffer(std::uint64_t bytes)
      : size_(UpToPage(std::max(bytes, kPage))),
        memory_(std::aligned_alloc(kPage, size_), &std::free) {}
  bool ok() const { return memory_ != nullptr; }
  void* data() const { return memory_.get(); }
  std::uint64_t size() const { return size_; }

 private:
  std::uint64_t size_;
  std::unique_ptr<void, void (*)(void*)> memory_;
};

// Open past the kernel's cache, or else with it.
class ProbedDescriptor {
 public:
  ~ProbedDescriptor() { Close(); }
  ProbedDescriptor() = default;
  ProbedDescriptor(ProbedDescriptor&& other) noexcept
      : number_(std::exchange(other.number_, -1)), direct_(other.direct_) {}

  Status Open(const std::string& path) {
    Close();
    number_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_DIRECT);
    direct_ = number_ >= 0;
    if (!direct_) number_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    return number_ < 0 ? Status::FromErrno(errno, "open", path) : Status();
  }

  // Reads pages from `offset` on, as many as there are. REQUIRES: it is open,
  // and `offset` is a multiple of a page.
  Result<std::uint64_t> Read(const std::string& path, std::uint64_t offset,
                             void* memory, std::uint64_t bytes) const {
    const auto at = static_cast<off_t>(offset);
    if (!direct_) {
      ::posix_fadvise(number_, at, static_cast<off_t>(bytes),
                      POSIX_FADV_DONTNEED);
    }
    const ssize_t read = ::pread(number_, memory, bytes, at);
    if (read < 0) return Status::FromErrno(errno, "read", path);
    return static_cast<std::uint64_t>(read);
  }

  void Close() {
    if (number_ >= 0) ::close(number_);
    number_ = -1;
  }
  bool is_open() const { return number_ >= 0; }

 private:
  int number_ = -1;
  bool direct_ = false;
};

struct TimedRead {
  double seconds = 0;
  std::uint64_t bytes = 0;
};

// Reads of one thread.
class Prober {
 public:
  Prober(const std::vector<ProbedFile>& files, bool keep_open,
         std::uint64_t bytes, std::uint32_t number)
      : files_(files),
        keep_open_(keep_open),
        buffer_(bytes),
        descriptors_(files.size()),
        number_(number) {
    ends_.reserve(files.size());
    std::uint64_t end = 0;
    for (const ProbedFile& file : files) ends_.push_back(end += file.size);
  }

  // At a random place, up to the end of its file.
  Result<TimedRead> ReadAtRandom(std::uint64_t bytes) {
    const auto words = Philox4x32({number_, 0, draws_++, 0}, {0, 0});
    const std::uint64_t place =
        (std::uint64_t{words[0]} << 32 | words[1]) % ends_.back();
    const auto file = static_cast<std::size_t>(
        std::ranges::upper_bound(ends_, place) - ends_.begin());
    const std::uint64_t size = files_[file].size;
    // The last page is as good as any.
    const std::uint64_t last = size > bytes ? size - bytes : 0;
    const std::uint64_t within = place - (ends_[file] - size);
    return Read(file, std::min(within, last) / kPage * kPage, bytes);
  }

  // The next bytes, file after file.
  Result<TimedRead> ReadInOrder() {
    if (offset_ >= files_[at_].size) {
      at_ = (at_ + 1) % files_.size();
      offset_ = 0;
    }
    const auto read = Read(at_, offset_, kStep);
    offset_ += kStep;
    return read;
  }

  bool ok() const { return buffer_.ok(); }

 private:
  Result<TimedRead> Read(std::size_t file, std::uint64_t offset,
                         std::uint64_t bytes) {
    ProbedDescriptor& descriptor = descriptors_[file];
    const std::string& path = files_[file].path;
    const auto begin = Clock::now();
    if (!keep_open_ || !descriptor.is_open()) {
      SHARDINE_RETURN_IF_ERROR(descriptor.Open(path));
    }
    const auto read = descriptor.Read(path, offset, buffer_.data(),
                                      std::min(bytes, buffer_.size()));
    const std::chrono::duration<double> took = Clock::now() - begin;
    if (!keep_open_) descriptor.Close();
    if (!read.ok()) return read.status();
    return TimedRead{took.count(), *read};
  }

  const std::vector<ProbedFile>& files_;
  const bool keep_open_;
  const PageBuffer buffer_;
  std::vector<ProbedDescriptor> descriptors_;
  std::vector<std::uint64_t> ends_;  // of each file among all bytes
  const std::uint32_t number_;
  std::uint32_t draws_ = 0;
  std::size_t at_ = 0;
  std::uint64_t offset_ = 0;
};

// The results of `read`, until the time is over.
template <typename Read>
Result<std::vector<TimedRead>> Repeat(std::chrono::milliseconds time,
                                      const std::stop_token& stop,
                                      const Read& read) {
  std::vector<TimedRead> reads;
  const auto end = Clock::now() + time;
  while (reads.size() < kMostReads && (reads.empty() || Clock::now() < end)) {
    if (stop.stop_requested()) return Status(Code::kCancelled, "interrupted");
    SHARDINE_ASSIGN_OR_RETURN(const TimedRead one, read());
    reads.push_back(one);
  }
  return reads;
}

Result<RandomReads> MeasureAtRandom(const std::vector<ProbedFile>& files,
                                    const StorageProbeOptions& options,
                                    std::uint64_t bytes,
                                    const std::stop_token& stop) {
  std::vector<std::vector<TimedRead>> of_readers(options.readers);
  SHARDINE_RETURN_IF_ERROR(
      ParallelFor(options.readers, options.readers, [&](std::size_t i) {
        Prober prober(files, options.keep_open, bytes,
                      static_cast<std::uint32_t>(i + bytes));
        if (!prober.ok()) return Status(Code::kFailed, "out of memory");
        auto reads = Repeat(options.time, stop,
                            [&] { return prober.ReadAtRandom(bytes); });
        if (!reads.ok()) return reads.status();
        of_readers[i] = *std::move(reads);
        return Status();
      }));
  std::vector<double> seconds;
  std::uint64_t all_bytes = 0;
  for (const auto& reads : of_readers) {
    for (const TimedRead& read : reads) {
      seconds.push_back(read.seconds);
      all_bytes += read.bytes;
    }
  }
  const auto count = static_cast<double>(seconds.size());
  return RandomReads{Median(std::move(seconds)),
                     static_cast<double>(all_bytes) / count};
}

// Bytes a second: the median of the reads, each by its bytes.
Result<double> MeasureInOrder(const std::vector<ProbedFile>& files,
                              const StorageProbeOptions& options,
                              const std::stop_token& stop) {
  Prober prober(files, options.keep_open, kStep, 0);
  if (!prober.ok()) return Status(Code::kFailed, "out of memory");
  SHARDINE_ASSIGN_OR_RETURN(
      const std::vector<TimedRead> reads,
      Repeat(options.time, stop, [&] { return prober.ReadInOrder(); }));
  std::vector<double> rates;
  for (const TimedRead& read : reads) {
    // The few bytes at the end of a file tell of its opening alone.
    if (read.bytes * 2 < reads.front().bytes) continue;
    rates.push_back(static_cast<double>(read.bytes) / read.seconds);
  }
  return Median(std::move(rates));
}

}  // namespace

StorageRates RatesOf(const RandomReads& page, const RandomReads& image,
                     double sequential, unsigned readers) {
  StorageRates rates;
  rates.readers = readers;
  rates.sequential = sequential;
  // Little's law: so many reads are under way, each for so long.
  rates.seeks = readers / page.seconds;
  const double more_seconds = image.seconds - page.seconds;
  const double more_bytes = image.bytes - page.bytes;
  // Where the longer read takes no longer, its rate cannot be told from noise.
  const bool shows = more_bytes > 0 && more_seconds > page.seconds * 0.05;
  rates.random_bytes =
      shows ? readers * more_bytes / more_seconds
            : std::max(sequential, readers * image.bytes / image.seconds);
  rates.from_memory = page.seconds < kMemoryLatency && sequential > kMemoryRate;
  return rates;
}

Result<StorageRates> ProbeStorage(const std::vector<ProbedFile>& files,
                                  const StorageProbeOptions& options,
                                  const std::stop_token& stop) {
  std::vector<ProbedFile> full;
  for (const ProbedFile& file : files) {
    if (file.size > 0) full.push_back(file);
  }
  if (full.empty()) {
    return Status(Code::kInvalidArgument, "there are no bytes to measure");
  }
  const std::uint64_t bytes =
      std::clamp(UpToPage(options.image_bytes), 2 * kPage, kMostImage);
  SHARDINE_ASSIGN_OR_RETURN(const RandomReads page,
                            MeasureAtRandom(full, options, kPage, stop));
  SHARDINE_ASSIGN_OR_RETURN(const RandomReads image,
                            MeasureAtRandom(full, options, bytes, stop));
  SHARDINE_ASSIGN_OR_RETURN(const double sequential,
                            MeasureInOrder(full, options, stop));
  return RatesOf(page, image, sequential, options.readers);
}

}  // namespace shardine
