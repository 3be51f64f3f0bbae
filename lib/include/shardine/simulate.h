// Simulate: the cost of epochs of a dataset on a server on machines that are
// not here yet: bytes, requests, savings of a cache, and the limit of each
// machine. Reads the manifest alone.
#ifndef SHARDINE_SIMULATE_H_
#define SHARDINE_SIMULATE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "shardine/job.h"
#include "shardine/loader.h"
#include "shardine/status.h"

namespace shardine {

struct SimulateOptions {
  std::string dataset;
  std::string split;  // empty: the only one

  std::uint32_t nodes = 1;           // machines
  std::uint32_t ranks_per_node = 1;  // neighbours among all ranks
  std::uint32_t batch_size = 64;     // samples of a rank in a step
  OrderOptions order;                // as a Loader's; not kRatio
  std::uint64_t seed = 0;
  std::uint64_t epochs = 2;
  std::uint64_t fetch_bytes = std::uint64_t{512} << 20;  // as a Loader's

  // The available resources. 0: no limit.
  double link = 0;               // bytes a second that reach a node
  double latency = 0;            // seconds to the first byte of an answer
  std::uint32_t requests = 512;  // under way, of each rank; above 0
  double trainer = 0;            // samples a second that a rank trains on
  double decoding = 0;           // samples a second that a node decodes
  std::uint64_t cache = 0;       // bytes of each node; 0: there is none
};

struct SimulatedEpoch {
  std::uint64_t steps = 0;
  std::uint64_t samples = 0;     // delivered to all ranks
  std::uint64_t cache_hits = 0;  // of them
  // Requests of all nodes: for samples, and in the first epoch two a shard and
  // node for its sidecar and its entry points.
  std::uint64_t requests = 0;
  std::uint64_t bytes = 0;
  double seconds = 0;  // until the last node is through; 0: nothing limits it
  // "link", "latency", "trainer" or "decoding" of the node that is last;
  // "nothing".
  std::string bound = "nothing";
  // The bytes of the node that reads most, of the mean; 1 if none reads any.
  double imbalance = 1;
  // Shards that hold the samples of a step, on average; and how many it would
  // be of as many samples drawn at random.
  double shards_a_step = 0;
  double shards_at_random = 0;
};

struct SimulateResult {
  std::uint64_t shards = 0;
  std::uint64_t shard_bytes = 0;
  std::vector<SimulatedEpoch> epochs;
};

// The model: a shard's samples have one size, its bytes by their number. A
// node's time is the longest of
//   link      its bytes / link;
//   latency   requests of its busiest rank * latency / requests under way;
//   trainer   steps * batch_size / trainer;
//   decoding  its samples / decoding;
// an epoch takes as long as its slowest node: prefetched batches even out
// single steps. Requests are joined as a Loader joins them. A cache keeps the
// bytes read, and drops the shards that were used longest ago as soon as it
// holds more than its bytes. Takes about a microsecond a sample and epoch, and
// with a cache a bit a sample and node.
//
// kInvalidArgument names the option; kNotFound and kCorrupt as opening the
// dataset. The job's formats are ignored.
Result<SimulateResult> Simulate(const SimulateOptions& options,
                                const Job& job = {});

}  // namespace shardine

#endif  // SHARDINE_SIMULATE_H_
