// FilePrefetcher: reads whole files on several threads ahead of their consumer,
// does the consumer's work on them there, and hands them over in the order of
// the requests. Bounded in bytes (of the files and their results; memory that
// work needs meanwhile is not counted); the number of requests is the caller's
// to bound.
//
// Submit() and Take() are for one thread. Destruction drops the outstanding
// files.
#ifndef SHARDINE_IM2REC_FILE_PREFETCHER_H_
#define SHARDINE_IM2REC_FILE_PREFETCHER_H_

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <string>

#include "base/bytes.h"
#include "im2rec/file_work.h"
#include "io/readable_storage.h"
#include "pipeline/worker_group.h"
#include "shardine/status.h"

namespace shardine {

class FilePrefetcher {
 public:
  struct Limits {
    std::size_t threads = 1;  // at least 1; fewer if the system has no more
    // Files read and not taken hold at most this together; a larger one is
    // let in alone.
    std::size_t bytes = std::size_t{64} << 20;
    // kUnsupported for a file of this size or more; nothing is allocated.
    std::uint64_t file_size = std::uint64_t{1} << 29;
  };

  // `storage` must outlive this. Without `work` contents stay as they are.
  FilePrefetcher(ReadableStorage& storage, const Limits& limits,
                 FileWorkFactory work = {});

  // Never blocks.
  void Submit(FileRequest file);
  // How many files were submitted and not taken.
  std::size_t outstanding() const;
  // The result of the outstanding file that was submitted first, or its error;
  // kFailed where not one thread could start, or memory ran out. Blocks.
  // REQUIRES: outstanding() > 0.
  Result<ByteBuffer> Take();

 private:
  struct Request {
    FileRequest file;
    std::size_t weight = 0;  // bytes it holds of the limit
    std::optional<Result<ByteBuffer>> result;
  };

  void Close();
  Status Work();
  Result<ByteBuffer> Make(const FileRequest& file, std::uint64_t ticket,
                          FileWork* work);
  Result<ByteBuffer> Read(const std::string& path, std::uint64_t ticket);

  ReadableStorage& storage_;
  const Limits limits_;
  const FileWorkFactory work_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  // Guarded by mutex_. Tickets number requests from 0.
  std::deque<Request> requests_;  // the first has ticket first_
  std::uint64_t first_ = 0;
  std::uint64_t next_unread_ = 0;
  std::size_t held_ = 0;  // sum of the weights
  bool closed_ = false;

  Status started_;
  WorkerGroup workers_;  // last: joined before the rest goes
};

}  // namespace shardine

#endif  // SHARDINE_IM2REC_FILE_PREFETCHER_H_
