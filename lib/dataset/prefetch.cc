#include <algorithm>
#include <functional>
#include <mutex>
#include <vector>

#include "base/bytes.h"
#include "base/status_macros.h"
#include "base/stop_scope.h"
#include "dataset/opened_source.h"
#include "io/path_scheme.h"
#include "io/read_many.h"
#include "io/storage_for.h"
#include "pipeline/parallel_for.h"
#include "shardine/cache.h"

namespace shardine {
namespace {

// Bytes of a request, requests of a thread at a time, and threads.
constexpr std::uint64_t kPiece = 4 << 20;
constexpr std::uint64_t kPieces = 4;
constexpr unsigned kThreads = 4;

// A read keeps its bytes in the cache; cached bytes are only looked at.
Status ReadThrough(const RandomAccessFile& file, const std::stop_token& stop,
                   const std::function<void(std::uint64_t)>& on_bytes) {
  ByteBuffer bytes;
  for (std::uint64_t at = 0; at < file.size(); at += bytes.size()) {
    if (stop.stop_requested()) return Status(Code::kCancelled, "interrupted");
    bytes.Resize(std::min(kPiece * kPieces, file.size() - at));
    std::vector<Piece> pieces;
    for (std::uint64_t i = 0; i < bytes.size(); i += kPiece) {
      const std::uint64_t size = std::min(kPiece, bytes.size() - i);
      pieces.push_back({.file = &file,
                        .offset = at + i,
                        .out = bytes.span().subspan(i, size)});
    }
    ReadMany(pieces);
    for (const Piece& piece : pieces) SHARDINE_RETURN_IF_ERROR(piece.status);
    on_bytes(bytes.size());
  }
  return {};
}

std::uint64_t KeptBytes(const RandomAccessFile& file) {
  constexpr std::uint64_t kStep = 16 << 10;
  std::uint64_t kept = 0;
  for (std::uint64_t at = 0; at < file.size(); at += kStep) {
    kept += file.IsAtHand(at) ? std::min(kStep, file.size() - at) : 0;
  }
  return kept;
}

Status CheckFits(const OpenedSource& source, const DatasetOptions& options) {
  const std::uint64_t bytes = source.bytes;
  // A sixteenth is left for bytes that other processes write meanwhile.
  if (bytes <= options.cache_bytes - options.cache_bytes / 16) return {};
  return Status(Code::kInvalidArgument, "the split has " +
                                            std::to_string(bytes) +
                                            " bytes, too many for a cache of " +
                                            std::to_string(options.cache_bytes))
      .At({.path = source.path});
}

}  // namespace

Result<PrefetchResult> PrefetchSplit(const std::string& path,
                                     const DatasetOptions& options,
                                     unsigned threads, const Job& job) {
  const StopScope scope(job.stop);
  if (SchemeOf(path).empty()) {
    return Status(Code::kInvalidArgument,
                  "is on this machine, and needs no cache")
        .At({.path = path});
  }
  if (options.cache_bytes == 0) {
    return Status(Code::kInvalidArgument,
                  "without a size the cache keeps no samples");
  }
  SHARDINE_ASSIGN_OR_RETURN(ReadableStorage* const storage, StorageFor(path));
  SHARDINE_ASSIGN_OR_RETURN(const OpenedSource source,
                            OpenDatasetSource(*storage, path, options));
  SHARDINE_RETURN_IF_ERROR(CheckFits(source, options));
  PrefetchResult result{.shards = source.shards.size(),
                        .samples = source.firsts.back(),
                        .bytes = source.bytes};
  std::mutex mutex;
  Progress progress;
  progress.bytes_total = source.bytes;
  progress.samples_total = result.samples;
  const auto report = [&](std::uint64_t bytes) {
    const std::lock_guard lock(mutex);
    progress.bytes += bytes;
    if (job.progress) job.progress(progress);
  };
  const auto read = [&](std::size_t i) -> Status {
    SHARDINE_ASSIGN_OR_RETURN(const PooledShard shard, source.open(i));
    SHARDINE_RETURN_IF_ERROR(ReadThrough(*shard.file, job.stop, report));
    const std::uint64_t kept = KeptBytes(*shard.file);
    const std::lock_guard lock(mutex);
    result.kept_bytes += kept;
    progress.samples += source.firsts[i + 1] - source.firsts[i];
    return {};
  };
  const Status failed = ParallelFor(source.shards.size(),
                                    threads == 0 ? kThreads : threads, read);
  if (!failed.ok()) return failed;
  return result;
}

}  // namespace shardine
