#include "pack/shard_finisher.h"

#include <cstddef>

#include "base/status_macros.h"

namespace shardine {

Status ShardFinisher::Begin(const std::function<Status()>& work) {
  SHARDINE_RETURN_IF_ERROR(Wait());
  worker_.emplace([] {});
  const Status started =
      worker_->Start(1, [work](std::size_t) { return work(); });
  if (started.ok()) return Status();
  worker_.reset();
  return work();
}

Status ShardFinisher::Wait() {
  if (!worker_) return Status();
  Status ended = worker_->Join();
  worker_.reset();
  return ended;
}

}  // namespace shardine
