// Keep: a dataset that is loaded from its source and packed meanwhile.
#ifndef SHARDINE_KEEP_H_
#define SHARDINE_KEEP_H_

#include <chrono>
#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>

#include "shardine/dataset.h"
#include "shardine/job.h"
#include "shardine/pack.h"
#include "shardine/status.h"

namespace shardine {

struct KeepOptions {
  // The options of Pack(), of which `on_bad` is kFail, the output lies on this
  // machine's file systems, and the original is among the variants. `threads`
  // is for packing alone; 0: a quarter of this process's share.
  PackOptions pack;
  std::string split = {};  // to load; may be empty if there is only one
  // Processes that load the same dataset, and pack its shards in parts.
  std::uint32_t rank = 0;
  std::uint32_t world = 1;
};

// Packs in the background, from Begin() on: this rank's shards first where its
// dataset is read, then the others of its part. The dataset in the output is
// byte for byte the one of Pack() with the same options; it is published by the
// rank that finds all shards finished.
//
// After a kill the same call goes on with the shards that are finished. A
// process that ends early leaves its part to the next call.
//
// Thread-safe.
class Keep {
 public:
  // Lists the source. Where the output is complete already, nothing is packed.
  // Failures as PlanPack(). kInvalidArgument: an option, a split that does not
  // exist, or none where there are several. kChanged: the output was begun with
  // other samples or options.
  static Result<std::unique_ptr<Keep>> Begin(const KeepOptions& options,
                                             const Job& job = {});
  ~Keep();  // stops packing and waits for the thread

  // The samples of the dataset to be, in its order. Those of shards that are
  // not finished are read from the source, all others from the shards. It may
  // outlive the Keep. Facts of headers, for SampleOrder::kRatio, are read from
  // all files.
  const std::shared_ptr<const Dataset>& dataset() const;

  // Why packing ended: a bad image, a file that changed, a full disk. Ok while
  // it goes on, and at its end.
  Status failure() const;
  bool is_complete() const;  // the dataset is in the output
  // Waits until the dataset is complete. False: other ranks have finished no
  // shard for so long. kCancelled: `stop`; else failure().
  Result<bool> Finish(std::chrono::nanoseconds patience,
                      const std::stop_token& stop = {});
  // Ends packing without waiting for it.
  void Stop();

 private:
  struct Parts;
  explicit Keep(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

}  // namespace shardine

#endif  // SHARDINE_KEEP_H_
