// ShardPool: the shards of a dataset, opened as they are needed; a bounded
// number of them stays open, the least recently used one is closed first.
#ifndef SHARDINE_DATASET_SHARD_POOL_H_
#define SHARDINE_DATASET_SHARD_POOL_H_

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <future>
#include <list>
#include <memory>
#include <unordered_map>
#include <utility>

#include "io/storage.h"
#include "shard/entry_point_file.h"
#include "shard/shard_index.h"
#include "shardine/status.h"

namespace shardine {

// A shard with its companions. All are thread-safe.
struct PooledShard {
  std::unique_ptr<RandomAccessFile> file;
  std::unique_ptr<ShardIndex> index;
  std::unique_ptr<EntryPointFile> entry_points;  // null: none, or unusable
};

// kCorrupt: the file is not as long as it was when its index was made.
Status CheckShardSize(const RandomAccessFile& shard, std::uint64_t bytes);

// Thread-safe. A process that forks while another thread is inside Get() may
// find it locked in the child: fork while no thread reads.
class ShardPool {
 public:
  using Opener = std::function<Result<PooledShard>(std::size_t shard)>;

  // REQUIRES: capacity > 0.
  ShardPool(std::size_t capacity, Opener open)
      : capacity_(capacity), open_(std::move(open)) {}

  // The shard stays open at least as long as a caller holds it. A failure is
  // not kept: the next call tries again.
  // Where the process has too many files open, those of the pool are closed
  // first. Where several threads miss the same shard, one opens it, and the
  // others get its result; their wait ends with the stop of their work, too.
  // Open at a time are at most `capacity` shards, those that callers still
  // hold, and one per thread inside, which it opens or closes.
  Result<std::shared_ptr<const PooledShard>> Get(std::size_t shard);
  // Whether Get() would wait for nothing.
  bool IsOpen(std::size_t shard);

 private:
  using Recent =
      std::list<std::pair<std::size_t, std::shared_ptr<const PooledShard>>>;

  // An opening by one thread that others may wait for.
  struct UnderWay {
    UnderWay();

    pid_t process;
    std::promise<Status> opened;
    std::shared_future<Status> ended;
  };
  class Opening;

  bool TakeTurn(std::size_t shard, std::shared_future<Status>& other);
  Result<std::shared_ptr<const PooledShard>> Open(std::size_t shard);
  // Moves it to the front; null if it is not open. REQUIRES: ForkMutex() is
  // held.
  std::shared_ptr<const PooledShard> Find(std::size_t shard);
  void CloseAll();

  const std::size_t capacity_;
  const Opener open_;
  // Guarded by ForkMutex(), as are the members below. The most recently used is
  // in front.
  Recent recent_;
  std::unordered_map<std::size_t, Recent::iterator> by_number_;
  std::unordered_map<std::size_t, UnderWay> under_way_;
};

}  // namespace shardine

#endif  // SHARDINE_DATASET_SHARD_POOL_H_
