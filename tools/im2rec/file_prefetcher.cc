#include "im2rec/file_prefetcher.h"

#include <memory>
#include <utility>

#include "base/check.h"
#include "base/status_macros.h"

namespace shardine {

FilePrefetcher::FilePrefetcher(ReadableStorage& storage, const Limits& limits,
                               FileWorkFactory work)
    : storage_(storage),
      limits_(limits),
      work_(std::move(work)),
      workers_([this] { Close(); }) {
  SHARDINE_CHECK(limits.threads > 0);
  started_ =
      workers_.Start(limits.threads, [this](std::size_t) { return Work(); });
}

void FilePrefetcher::Close() {
  const std::lock_guard lock(mutex_);
  closed_ = true;
  changed_.notify_all();
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
  SHARDINE_RETURN_IF_ERROR(started_);
  std::unique_lock lock(mutex_);
  SHARDINE_CHECK(!requests_.empty());
  changed_.wait(
      lock, [&] { return closed_ || requests_.front().result.has_value(); });
  // Only a worker that failed closes the queue during a Take(): its failure
  // says why there is no result.
  if (!requests_.front().result) {
    lock.unlock();
    SHARDINE_RETURN_IF_ERROR(workers_.Join());
    return Status(Code::kCancelled, "stopped");
  }
  Request taken = std::move(requests_.front());
  requests_.pop_front();
  ++first_;
  held_ -= taken.weight;
  changed_.notify_all();
  return *std::move(taken.result);
}

Status FilePrefetcher::Work() {
  const std::unique_ptr<FileWork> work = work_ ? work_() : nullptr;
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [&] {
      return closed_ || next_unread_ < first_ + requests_.size();
    });
    if (closed_) return Status();
    const std::uint64_t ticket = next_unread_++;
    const FileRequest file = requests_[ticket - first_].file;
    lock.unlock();
    Result<ByteBuffer> result = Make(file, ticket, work.get());
    lock.lock();
    Request& request = requests_[ticket - first_];
    // A result may be smaller or larger than its file. The limit counts the
    // result from here on.
    held_ -= request.weight;
    request.weight = result.ok() ? result->size() : 0;
    held_ += request.weight;
    request.result = std::move(result);
    changed_.notify_all();
  }
}

// A lack of memory is this file's failure, in its place.
Result<ByteBuffer> FilePrefetcher::Make(const FileRequest& file,
                                        std::uint64_t ticket, FileWork* work) {
  std::optional<Result<ByteBuffer>> made;
  Status status = Guarded([&] {
    made = Read(file.path, ticket);
    if (made->ok() && work) made = work->Do(file, **std::move(made));
    return Status();
  });
  if (!status.ok()) return std::move(status).At({.path = file.path});
  return *std::move(made);
}

Result<ByteBuffer> FilePrefetcher::Read(const std::string& path,
                                        std::uint64_t ticket) {
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
    changed_.wait(lock, [&] {
      return closed_ || ticket == first_ || held_ + size <= limits_.bytes;
    });
    if (closed_) return Status(Code::kCancelled, "stopped");
    held_ += size;
    requests_[ticket - first_].weight = size;
  }
  ByteBuffer contents;
  contents.Resize(size);
  SHARDINE_RETURN_IF_ERROR(file->ReadExactly(0, contents.span()));
  return contents;
}

}  // namespace shardine
