#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cli/interrupt.h"
#include "cli/json_text.h"
#include "cli/number_text.h"
#include "shardine/loader_words.h"
#include "shardine/simulate.h"
#include "shardine/verb.h"

namespace shardine {
namespace {

constexpr char kSimulateExamples[] =
    "shardine simulate out --nodes 2 --batch-size 8 --link 100M\n"
    "shardine simulate out --batch-size 8 --cache 10G --json\n";

constexpr char kSimulateText[] =
    "Says what epochs of DATASET on a server will take on machines that are "
    "not\n"
    "here: bytes, requests, what a cache saves, what the slowest machine "
    "waits\n"
    "for. Reads the manifest alone. What is not given limits nothing.\n";

Json EpochJson(const SimulatedEpoch& epoch) {
  return {{"steps", epoch.steps},
          {"samples", epoch.samples},
          {"cache_hits", epoch.cache_hits},
          {"requests", epoch.requests},
          {"bytes", epoch.bytes},
          {"seconds", epoch.seconds},
          {"bound", epoch.bound},
          {"imbalance", epoch.imbalance},
          {"shards_a_step", epoch.shards_a_step},
          {"shards_at_random", epoch.shards_at_random}};
}

// "epoch 0: 1,000 samples ..." in two lines.
std::string EpochText(std::size_t number, const SimulatedEpoch& epoch) {
  std::string text = "epoch " + std::to_string(number) + ": " +
                     std::to_string(epoch.samples) + " samples in " +
                     FormatCount(epoch.steps, "step") + ", ";
  if (epoch.seconds > 0) {
    text += FormatFixed(epoch.seconds, 1) + " s by the " + epoch.bound + ", " +
            FormatFixed(static_cast<double>(epoch.samples) / epoch.seconds, 0) +
            " samples/s";
  } else {
    text += "limited by nothing";
  }
  text += "\n  " + FormatCount(epoch.requests, "request") + ", " +
          FormatBytes(epoch.bytes) + ", " +
          FormatShare(epoch.cache_hits, epoch.samples) +
          " of the samples from caches\n  a step has samples of " +
          FormatFixed(epoch.shards_a_step, 1) + " shards (at random " +
          FormatFixed(epoch.shards_at_random, 1) +
          "); the node that reads most reads " +
          FormatFixed(epoch.imbalance, 2) + " of the mean\n";
  return text;
}

class SimulateVerb : public Verb {
 public:
  Usage usage() const override {
    return {"DATASET", 1, 1, kSimulateText, kSimulateExamples};
  }

  void Declare(Options& options) override {
    options.BeginGroup("Who reads");
    options.Text("split", "NAME", simulate_.split,
                 "which one (default: the only one)");
    options.Number("nodes", nodes_, {1, 1'000'000}, "machines (default: 1)");
    options.Number("ranks-per-node", ranks_, {1, 65536},
                   "processes of each (default: 1)");
    options.Number("batch-size", batch_size_, {1, 1'000'000},
                   "samples of a rank in a step (default: 64)");
    options.Choice("order", simulate_.order.order,
                   "of the samples (default: shuffle)");
    options.Number("block", simulate_.order.block, {1, 1'000'000'000},
                   "samples, of blocks (default: 1024)");
    options.Number("window", simulate_.order.window, {1, 1'000'000'000},
                   "blocks that are mixed (default: 16)");
    options.Flag("node-parts", node_parts_,
                 "each node reads a part of its own of every epoch");
    options.Number("seed", simulate_.seed, {}, "of the order (default: 0)");
    options.Number("epochs", simulate_.epochs, {1, 1'000'000},
                   "how many (default: 2)");
    options.BeginGroup("What there is");
    options.ByteSize("link", link_, "bytes a second that reach each node");
    options.Number("latency", latency_ms_, {0, 1'000'000},
                   "milliseconds to the first byte of an answer");
    options.Number("requests", requests_, {1, 1'000'000},
                   "under way, of each rank (default: 512)");
    options.Number("trainer", trainer_, {0, 1'000'000'000},
                   "samples a second that a rank trains on");
    options.Number("decoding", decoding_, {0, 1'000'000'000},
                   "samples a second that a node decodes");
    options.ByteSize("cache", simulate_.cache, "of each node");
    options.ByteSize("fetch-bytes", simulate_.fetch_bytes,
                     "that a rank holds in advance (default: 512M)");
    options.BeginGroup("Output");
    options.Flag("json", json_, "print the result as one JSON object");
  }

  Result<ExitCode> Run(const std::vector<std::string>& operands, const Options&,
                       Output& output) override {
    InterruptWatcher interrupt;
    simulate_.dataset = operands[0];
    simulate_.nodes = static_cast<std::uint32_t>(nodes_);
    simulate_.ranks_per_node = static_cast<std::uint32_t>(ranks_);
    simulate_.batch_size = static_cast<std::uint32_t>(batch_size_);
    simulate_.order.nodes = node_parts_ ? simulate_.nodes : 1;
    simulate_.requests = static_cast<std::uint32_t>(requests_);
    simulate_.link = static_cast<double>(link_);
    simulate_.latency = static_cast<double>(latency_ms_) * 1e-3;
    simulate_.trainer = static_cast<double>(trainer_);
    simulate_.decoding = static_cast<double>(decoding_);
    const auto result = Simulate(simulate_, {.stop = interrupt.stop_token()});
    if (!result.ok()) return result.status();
    Json epochs = Json::array();
    std::string text = FormatCount(result->shards, "shard") + ", " +
                       FormatBytes(result->shard_bytes) + "\n";
    for (std::size_t i = 0; i < result->epochs.size(); ++i) {
      epochs.push_back(EpochJson(result->epochs[i]));
      text += EpochText(i, result->epochs[i]);
    }
    const Json json = {{"shards", result->shards},
                       {"shard_bytes", result->shard_bytes},
                       {"epochs", std::move(epochs)}};
    const Status written = output.Write(json_ ? JsonLine(json) : text);
    if (!written.ok()) return written;
    return ExitCode::kDone;
  }

 private:
  SimulateOptions simulate_;
  std::uint64_t nodes_ = 1;
  std::uint64_t ranks_ = 1;
  std::uint64_t batch_size_ = 64;
  std::uint64_t requests_ = 512;
  std::uint64_t link_ = 0;
  std::uint64_t latency_ms_ = 0;
  std::uint64_t trainer_ = 0;
  std::uint64_t decoding_ = 0;
  bool node_parts_ = false;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Verb> MakeSimulateVerb() {
  return std::make_unique<SimulateVerb>();
}

}  // namespace shardine
