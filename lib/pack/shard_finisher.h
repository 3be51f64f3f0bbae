// ShardFinisher: ends a shard (sync, read back, publish) on a thread of its
// own, while the samples of the next one are written.
#ifndef SHARDINE_PACK_SHARD_FINISHER_H_
#define SHARDINE_PACK_SHARD_FINISHER_H_

#include <functional>
#include <optional>

#include "pipeline/worker_group.h"
#include "shardine/status.h"

namespace shardine {

// For one thread.
class ShardFinisher {
 public:
  // Waits for the shard that is being ended.
  ~ShardFinisher() = default;

  // Begins the work. First waits for the work of the shard before; if that
  // failed, returns its failure and begins nothing. Where the system has no
  // thread more, the work is done here.
  Status Begin(const std::function<Status()>& work);
  // Waits for the work that was begun; its failure, if it failed.
  Status Wait();

 private:
  std::optional<WorkerGroup> worker_;  // while a shard is being ended
};

}  // namespace shardine

#endif  // SHARDINE_PACK_SHARD_FINISHER_H_
