#include "shardine/simulate.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/status_macros.h"
#include "base/stop_scope.h"
#include "dataset/dataset_reader.h"
#include "dataset/opened_source.h"
#include "io/storage_for.h"
#include "load/node_order.h"
#include "load/simulated_node.h"
#include "load/simulated_shards.h"

namespace shardine {
namespace {

using Traffic = SimulatedNode::Traffic;

Status Invalid(const char* option, const std::string& why) {
  return Status(Code::kInvalidArgument, std::string(option) + ": " + why);
}

Status CheckOptions(const SimulateOptions& options) {
  const std::pair<const char*, std::uint64_t> counts[] = {
      {"nodes", options.nodes},
      {"ranks_per_node", options.ranks_per_node},
      {"batch_size", options.batch_size},
      {"block", options.order.block},
      {"window", options.order.window},
      {"epochs", options.epochs},
      {"requests", options.requests}};
  for (const auto& [name, value] : counts) {
    if (value == 0) return Invalid(name, "0");
  }
  const std::pair<const char*, double> rates[] = {
      {"link", options.link},
      {"latency", options.latency},
      {"trainer", options.trainer},
      {"decoding", options.decoding}};
  for (const auto& [name, value] : rates) {
    if (!std::isfinite(value) || value < 0) {
      return Invalid(name, "neither 0 nor a positive number");
    }
  }
  const std::uint64_t ranks =
      std::uint64_t{options.nodes} * options.ranks_per_node;
  if (ranks > std::numeric_limits<std::uint32_t>::max()) {
    return Invalid("nodes", "times ranks_per_node is beyond 2^32");
  }
  if (options.order.order == SampleOrder::kRatio) {
    return Invalid("order", "by ratio it depends on the images");
  }
  if (options.order.nodes != 1 && options.order.nodes != options.nodes) {
    return Invalid("order", "shared by other nodes than there are");
  }
  if (options.order.nodes > 1 && options.order.order == SampleOrder::kShuffle) {
    return Invalid("order",
                   "parts of nodes have \"blocks\" and \"sequential\" alone");
  }
  return {};
}

// One epoch of all ranks.
class Epoch {
 public:
  Epoch(const SimulateOptions& options, const SimulatedShards& shards,
        std::vector<SimulatedNode>& nodes, std::uint64_t number)
      : options_(options),
        shards_(shards),
        nodes_(nodes),
        ranks_(options.nodes * options.ranks_per_node),
        step_(std::uint64_t{ranks_} * options.batch_size),
        order_(shards.samples(), options.order,
               {options.order.nodes, step_ / options.order.nodes}, options.seed,
               number),
        of_ranks_(ranks_),
        seen_(shards.size()) {}

  Result<SimulatedEpoch> Run(const std::stop_token& stop) {
    SimulatedEpoch epoch;
    epoch.steps = shards_.samples() / step_;
    epoch.samples = epoch.steps * step_;
    for (std::uint64_t from = 0; from < epoch.samples;) {
      if (stop.stop_requested()) {
        return Status(Code::kCancelled, "interrupted");
      }
      const std::uint64_t end = std::min(EndOf(from), epoch.samples);
      Read(from, end);
      from = end;
    }
    epoch.shards_a_step =
        static_cast<double>(shards_met_) / static_cast<double>(epoch.steps);
    epoch.shards_at_random = shards_.AtRandom(step_);
    return epoch;
  }

  std::vector<Traffic>& of_ranks() { return of_ranks_; }

 private:
  // The end of the samples that ReadAhead requests together, rounded up to a
  // whole step.
  std::uint64_t EndOf(std::uint64_t from) {
    std::uint64_t count = step_;
    if (options_.order.order != SampleOrder::kShuffle) {
      count = order_.EndOfStretch(from) - from;
    }
    return from + (count + step_ - 1) / step_ * step_;
  }

  void Read(std::uint64_t from, std::uint64_t end) {
    std::vector<std::vector<std::uint64_t>> positions(ranks_);
    for (std::uint64_t at = from; at < end; ++at) {
      const std::uint64_t position = order_(at);
      positions[at % step_ / options_.batch_size].push_back(position);
      Meet(at / step_, shards_.ShardOf(position));
    }
    const bool together =
        options_.order.order != SampleOrder::kShuffle && options_.fetch_bytes;
    for (std::uint32_t rank = 0; rank < ranks_; ++rank) {
      SimulatedNode& node = nodes_[rank / options_.ranks_per_node];
      if (together) {
        of_ranks_[rank] += ReadBlocks(positions[rank], node);
        continue;
      }
      for (const std::uint64_t position : positions[rank]) {
        of_ranks_[rank] += node.Read(position);
      }
    }
  }

  // Reads the samples of each block together, as ReadAhead does, which holds as
  // much again for the next ones.
  Traffic ReadBlocks(std::vector<std::uint64_t>& positions,
                     SimulatedNode& node) {
    std::ranges::sort(positions);
    const auto block_of = [&](std::uint64_t position) {
      return position / options_.order.block;
    };
    Traffic traffic;
    std::span<const std::uint64_t> left = positions;
    const std::uint64_t room_of_each =
        options_.fetch_bytes / 2 / std::max<std::size_t>(left.size(), 1);
    while (!left.empty()) {
      const auto behind =
          std::ranges::upper_bound(left, block_of(left.front()), {}, block_of);
      const auto count = static_cast<std::size_t>(behind - left.begin());
      std::uint64_t room = room_of_each * count;
      traffic += node.ReadTogether(left.first(count), room);
      left = left.subspan(count);
    }
    return traffic;
  }

  void Meet(std::uint64_t step, std::size_t shard) {
    if (seen_[shard] == step + 1) return;
    seen_[shard] = step + 1;
    ++shards_met_;
  }

  const SimulateOptions& options_;
  const SimulatedShards& shards_;
  std::vector<SimulatedNode>& nodes_;
  const std::uint32_t ranks_;
  const std::uint64_t step_;
  NodeOrder order_;
  std::vector<Traffic> of_ranks_;
  std::vector<std::uint64_t> seen_;  // by shard: the last step, and one
  std::uint64_t shards_met_ = 0;
};

// The time of a node, and its bound.
struct NodeTime {
  double seconds = 0;
  const char* bound = "nothing";
};

NodeTime TimeOf(const SimulateOptions& options, const SimulatedEpoch& epoch,
                const Traffic& node, std::uint64_t most_requests) {
  const auto by = [](double amount, double rate) {
    return rate > 0 ? amount / rate : 0;
  };
  const auto steps = static_cast<double>(epoch.steps);
  const double of_rank = steps * options.batch_size;
  const std::pair<double, const char*> times[] = {
      {by(static_cast<double>(node.bytes), options.link), "link"},
      {static_cast<double>(most_requests) * options.latency / options.requests,
       "latency"},
      {by(of_rank, options.trainer), "trainer"},
      {by(of_rank * options.ranks_per_node, options.decoding), "decoding"}};
  NodeTime most;
  for (const auto& [seconds, bound] : times) {
    if (seconds > most.seconds) most = {seconds, bound};
  }
  return most;
}

// Adds up the traffic of the ranks. `is_first`: no node has sidecars yet.
void Sum(const SimulateOptions& options, const SimulatedShards& shards,
         const std::vector<Traffic>& of_ranks, bool is_first,
         SimulatedEpoch& epoch) {
  std::uint64_t most_bytes = 0;
  for (std::uint32_t node = 0; node < options.nodes; ++node) {
    Traffic traffic;
    std::uint64_t most_requests = 0;
    for (std::uint32_t i = 0; i < options.ranks_per_node; ++i) {
      const Traffic& rank = of_ranks[node * options.ranks_per_node + i];
      traffic += rank;
      most_requests = std::max(most_requests, rank.requests);
    }
    if (is_first) {
      traffic.requests += shards.companions();
      traffic.bytes += shards.companion_bytes();
    }
    epoch.requests += traffic.requests;
    epoch.bytes += traffic.bytes;
    epoch.cache_hits += traffic.hits;
    most_bytes = std::max(most_bytes, traffic.bytes);
    const NodeTime time = TimeOf(options, epoch, traffic, most_requests);
    if (time.seconds <= epoch.seconds) continue;
    epoch.seconds = time.seconds;
    epoch.bound = time.bound;
  }
  if (epoch.bytes == 0) return;
  epoch.imbalance = static_cast<double>(most_bytes) * options.nodes /
                    static_cast<double>(epoch.bytes);
}

}  // namespace

Result<SimulateResult> Simulate(const SimulateOptions& options,
                                const Job& job) {
  SHARDINE_RETURN_IF_ERROR(CheckOptions(options));
  const StopScope scope(job.stop);
  SHARDINE_ASSIGN_OR_RETURN(ReadableStorage* const storage,
                            StorageFor(job, options.dataset));
  SHARDINE_ASSIGN_OR_RETURN(const std::unique_ptr<DatasetReader> reader,
                            DatasetReader::Open(*storage, options.dataset));
  SHARDINE_ASSIGN_OR_RETURN(const ManifestSplit* const split,
                            ChooseSplit(*reader, options.split));
  const SimulatedShards shards(*split);
  const std::uint64_t step = std::uint64_t{options.nodes} *
                             options.ranks_per_node * options.batch_size;
  if (shards.samples() < step) {
    return Invalid("batch_size", "a step of all ranks takes " +
                                     std::to_string(step) + ", there are " +
                                     std::to_string(shards.samples()));
  }
  std::vector<SimulatedNode> nodes(options.nodes,
                                   SimulatedNode(shards, options.cache));
  SimulateResult result{shards.size(), shards.bytes(), {}};
  for (std::uint64_t number = 0; number < options.epochs; ++number) {
    Epoch epoch(options, shards, nodes, number);
    SHARDINE_ASSIGN_OR_RETURN(SimulatedEpoch simulated, epoch.Run(job.stop));
    Sum(options, shards, epoch.of_ranks(), number == 0, simulated);
    result.epochs.push_back(std::move(simulated));
  }
  return result;
}

}  // namespace shardine
