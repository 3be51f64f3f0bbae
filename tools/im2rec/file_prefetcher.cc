#include "im2rec/file_prefetcher.h"

#include <memory>
#include <system_error>
#include <utility>

#include "base/check.h"
#include "base/status_macros.h"

namespace shardine {

FilePrefetcher::FilePrefetcher(Storage& storage, const Limits& limits,
                               FileWorkFactory work)
    : storage_(storage), limits_(limits), work_(std::move(work)) {
  SHARDINE_CHECK(limits.threads > 0);
  try {
    while (workers_.size() < limits.threads) {
      workers_.emplace_back(
          [this](const std::stop_token& stop) { Work(stop); });
    }
  } catch (const std::system_error&) {
    // The system has no more threads to give; those it gave do the work.
    SHARDINE_CHECK(!workers_.empty());
  }
}

void FilePrefetcher::Submit(FileRequest file) {
  const std::lock_guard lock(mutex_);
  requests_.push_back({.file = std::move(file), .result = {}});
  changed_.notify_all();
}

std::size_t FilePrefetcher::outstanding() const {
  const std::lock_guard lock(mutex_);
  return requests_.size();
}

Result<ByteBuffer> FilePrefetcher::Take() {
  std::unique_lock lock(mutex_);
  SHARDINE_CHECK(!requests_.empty());
  changed_.wait(lock, [&] { return requests_.front().result.has_value(); });
  Request taken = std::move(requests_.front());
  requests_.pop_front();
  ++first_;
  held_ -= taken.weight;
  changed_.notify_all();
  return *std::move(taken.result);
}

void FilePrefetcher::Work(const std::stop_token& stop) {
  const std::unique_ptr<FileWork> work = work_ ? work_() : nullptr;
  std::unique_lock lock(mutex_);
  while (changed_.wait(
      lock, stop, [&] { return next_unread_ < first_ + requests_.size(); })) {
    const std::uint64_t ticket = next_unread_++;
    const FileRequest file = requests_[ticket - first_].file;
    lock.unlock();
    Result<ByteBuffer> result = Read(file.path, ticket, stop);
    if (result.ok() && work) result = work->Do(file, *std::move(result));
    lock.lock();
    Request& request = requests_[ticket - first_];
    held_ -= request.weight;
    request.weight = result.ok() ? result->size() : 0;
    held_ += request.weight;
    request.result = std::move(result);
    changed_.notify_all();
  }
}

Result<ByteBuffer> FilePrefetcher::Read(const std::string& path,
                                        std::uint64_t ticket,
                                        const std::stop_token& stop) {
  SHARDINE_ASSIGN_OR_RETURN(std::unique_ptr<RandomAccessFile> file,
                            storage_.Open(path));
  if (file->size() >= limits_.file_size) {
    return Status(Code::kUnsupported,
                  "a file of " + std::to_string(file->size()) +
                      " bytes: a RecordIO record holds less than 512 MiB")
        .At({.path = path});
  }
  const auto size = static_cast<std::size_t>(file->size());
  {
    std::unique_lock lock(mutex_);
    // The one that is taken next never waits, or all would.
    const bool admitted = changed_.wait(lock, stop, [&] {
      return ticket == first_ || held_ + size <= limits_.bytes;
    });
    if (!admitted) return Status(Code::kCancelled, "stopped");
    held_ += size;
    requests_[ticket - first_].weight = size;
  }
  ByteBuffer contents;
  contents.Resize(size);
  SHARDINE_RETURN_IF_ERROR(file->ReadExactly(0, contents.span()));
  return contents;
}

}  // namespace shardine
