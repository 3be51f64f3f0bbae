#include <algorithm>
#include <chrono>
#include <ctime>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/interrupt.h"
#include "cli/json_text.h"
#include "cli/number_text.h"
#include "cli/progress_reporter.h"
#include "shardine/loader.h"
#include "shardine/loader_plot.h"
#include "shardine/verb.h"

namespace shardine {
namespace {

constexpr char kBenchExamples[] =
    "shardine bench out --crop 64 --seconds 1\n"
    "shardine bench out --seconds 0 --plot rates.svg --json\n";

constexpr char kBenchText[] =
    "Streams DATASET on this machine and prints the rates: records as they "
    "lie\n"
    "in the shards, shuffled records, and random crops decoded into training\n"
    "batches. What was read lately comes from memory, not from the disk: for "
    "the\n"
    "rate of a disk take a dataset larger than the memory.\n";

// The last events are kept, which show the warm loader.
constexpr std::uint32_t kTraceEvents = 100'000;

struct Rate {
  std::string name;
  LoaderStats stats;
  double cpu_seconds = 0;

  double images_per_cpu_second() const {
    return cpu_seconds > 0 ? static_cast<double>(stats.images) / cpu_seconds
                           : 0;
  }
};

double CpuSeconds() {
  // The clock counts the processor time of all threads, those of the loader
  // too.
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

// "records, shuffled   12345 images/s   1350.2 MB/s   6200 images/CPU-s"
std::string RateText(const Rate& rate) {
  const auto column = [](std::string text, std::size_t width) {
    if (text.size() < width) text.insert(0, width - text.size(), ' ');
    return text;
  };
  std::string text = rate.name;
  text.resize(24, ' ');
  return text + column(FormatFixed(rate.stats.images_per_second(), 0), 9) +
         " images/s" +
         column(FormatFixed(rate.stats.megabytes_per_second(), 1), 10) +
         " MB/s" + column(FormatFixed(rate.images_per_cpu_second(), 0), 9) +
         " images/CPU-s\n";
}

// "  decoding alone: 1710 images/s on each thread": the stage's rate while it
// waits for nothing.
std::string DecodeText(const LoaderStats& stats) {
  for (const StageStats& stage : stats.stages) {
    if (stage.name != "decode" || stage.busy <= 0) continue;
    const double per_second = static_cast<double>(stage.items) / stage.busy;
    return "  decoding alone: " + FormatFixed(per_second, 0) +
           " images/s on each thread\n";
  }
  return "";
}

// The text after the last comma is on its own line.
std::string BottleneckText(const LoaderStats& stats) {
  std::string text = "  " + stats.Bottleneck() + "\n";
  const std::size_t comma = text.rfind(", ");
  if (comma != text.npos) text.replace(comma, 2, ",\n  ");
  return text;
}

Json StageJson(const StageStats& stage) {
  return {{"name", stage.name},
          {"items", stage.items},
          {"bytes", stage.bytes},
          {"busy", stage.busy},
          {"waiting_for_input", stage.waiting_for_input},
          {"waiting_for_output", stage.waiting_for_output},
          {"p50", stage.p50},
          {"p95", stage.p95},
          {"p99", stage.p99}};
}

// The cost of a dataset on a server so far, and of `images` of it.
std::string RemoteText(const RemoteStats& remote, std::uint64_t images) {
  if (remote.requests == 0) return "";
  const auto count = [](std::uint64_t n) { return std::to_string(n); };
  const auto ms = [](double s) { return FormatFixed(s * 1'000, 1); };
  std::string text =
      "requests " + count(remote.requests) + ", " +
      FormatFixed(static_cast<double>(remote.requests) /
                      static_cast<double>(std::max<std::uint64_t>(images, 1)),
                  3) +
      " an image, at most " + count(remote.most_under_way) + " at a time\n  " +
      FormatFixed(static_cast<double>(remote.bytes) * 1e-6, 1) + " MB, used " +
      FormatFixed(static_cast<double>(remote.bytes_used) * 1e-6, 1) +
      " MB\n  first byte after " + ms(remote.first_byte_p50) + " / " +
      ms(remote.first_byte_p95) + " / " + ms(remote.first_byte_p99) +
      " ms (50 / 95 / 99 %),\n  all after " + ms(remote.whole_p50) + " / " +
      ms(remote.whole_p95) + " / " + ms(remote.whole_p99) +
      " ms\n  sent twice " + count(remote.hedges) + ", of use " +
      count(remote.hedges_won) + "\n  wrong payloads asked for again " +
      count(remote.asked_again) + "\n  connections made " +
      count(remote.connections_made) + ", reused " +
      count(remote.connections_reused) + "\n  credentials fetched " +
      count(remote.credentials_fetched) + "\n";
  for (const auto& [why, tries] : remote.failed_tries) {
    text += "  failed tries, " + why + ": " + count(tries) + "\n";
  }
  if (remote.cache_hits + remote.cache_misses > 0) {
    text += "  from the cache " + count(remote.cache_hits) + " of " +
            count(remote.cache_hits + remote.cache_misses) + " reads, " +
            FormatFixed(static_cast<double>(remote.cache_hit_bytes) * 1e-6, 1) +
            " MB\n";
  }
  return text;
}

Json RemoteJson(const RemoteStats& remote) {
  return {{"requests", remote.requests},
          {"tries", remote.tries},
          {"bytes", remote.bytes},
          {"bytes_used", remote.bytes_used},
          {"most_under_way", remote.most_under_way},
          {"first_byte_p50", remote.first_byte_p50},
          {"first_byte_p95", remote.first_byte_p95},
          {"first_byte_p99", remote.first_byte_p99},
          {"whole_p50", remote.whole_p50},
          {"whole_p95", remote.whole_p95},
          {"whole_p99", remote.whole_p99},
          {"failed_tries", remote.failed_tries},
          {"hedges", remote.hedges},
          {"hedges_won", remote.hedges_won},
          {"asked_again", remote.asked_again},
          {"connections_made", remote.connections_made},
          {"connections_reused", remote.connections_reused},
          {"credentials_fetched", remote.credentials_fetched},
          {"cache_hits", remote.cache_hits},
          {"cache_hit_bytes", remote.cache_hit_bytes},
          {"cache_misses", remote.cache_misses}};
}

Json RateJson(const Rate& rate) {
  Json stages = Json::array();
  for (const StageStats& stage : rate.stats.stages) {
    stages.push_back(StageJson(stage));
  }
  return {{"name", rate.name},
          {"images", rate.stats.images},
          {"bytes", rate.stats.bytes},
          {"seconds", rate.stats.seconds},
          {"cpu_seconds", rate.cpu_seconds},
          {"images_per_second", rate.stats.images_per_second()},
          {"images_per_cpu_second", rate.images_per_cpu_second()},
          {"megabytes_per_second", rate.stats.megabytes_per_second()},
          {"bottleneck", rate.stats.Bottleneck()},
          {"stages", std::move(stages)}};
}

class BenchVerb : public Verb {
 public:
  Usage usage() const override {
    return {"DATASET", 1, 1, kBenchText, kBenchExamples};
  }

  ServerUse servers() const override { return ServerUse::kReadsSamples; }

  void Declare(Options& options) override {
    options.BeginGroup("What");
    options.Text("split", "NAME", dataset_.split,
                 "which one (default: the only one)");
    options.Number("crop", crop_, {1, 65535},
                   "side of the random crops in pixels (default: 224)");
    options.Number("batch-size", batch_size_, {1, 65536},
                   "images of a batch (default: 64)");
    options.BeginGroup("Run");
    options.Number("seconds", seconds_, {0, 86400},
                   "time for each rate (default: 3); 0: one epoch each");
    options.Number("jobs,j", jobs_, {1, 1024},
                   "worker threads (default: what this process may use)");
    options.Text("trace", "FILE", trace_,
                 "write what each thread did with the last crops, as Chrome's "
                 "trace events");
    options.Text("plot", "FILE", plot_,
                 "draw the rates, work and waits over time as an SVG image; an "
                 "earlier plot is replaced");
    options.Flag("json", json_, "print the result as one JSON object");
  }

  Result<ExitCode> Run(const std::vector<std::string>& operands, const Options&,
                       Output& output) override {
    InterruptWatcher interrupt;
    const auto dataset = Dataset::Open(operands[0], dataset_);
    if (!dataset.ok()) return dataset.status();
    if (!plot_.empty()) {
      const Status free = CheckPlotPath(plot_);
      if (!free.ok()) return free;
    }
    std::vector<PlottedLoader> plotted;
    Json rates = Json::array();
    std::string text;
    std::uint64_t images = 0;
    for (const auto& [name, options] : Cells()) {
      const auto rate =
          Measure(name, *dataset, options, interrupt.stop_token());
      if (!rate.ok()) return rate.status();
      rates.push_back(RateJson(*rate));
      text += RateText(*rate);
      images += rate->stats.images;
      plotted.push_back({name, rate->stats});
      if (!options.transform) continue;
      text += DecodeText(rate->stats) + BottleneckText(rate->stats);
    }
    const RemoteStats remote = RemoteStatsOfProcess();
    text += RemoteText(remote, images);
    Json result = {{"samples", (*dataset)->size()},
                   {"rates", std::move(rates)}};
    if (remote.requests > 0) result["remote"] = RemoteJson(remote);
    const Status written = output.Write(json_ ? JsonLine(result) : text);
    if (!written.ok()) return written;
    // The figures are printed, whether or not the plot can be written.
    const Status drawn = plot_.empty() ? Status() : WritePlot(plot_, plotted);
    if (!drawn.ok()) return drawn;
    return ExitCode::kDone;
  }

 private:
  std::vector<std::pair<std::string, LoaderOptions>> Cells() const {
    LoaderOptions options;
    options.batch_size = static_cast<std::uint32_t>(batch_size_);
    options.threads = static_cast<unsigned>(jobs_);
    // Every sample is delivered once: images are counted, not steps.
    options.last_batch = LastBatch::kShort;
    options.order.order = SampleOrder::kSequential;
    // From the disk upwards: each rate adds one kind of work to the one before,
    // and the first one that falls shows the costly work.
    std::vector<std::pair<std::string, LoaderOptions>> cells;
    cells.emplace_back("records as stored", options);
    options.order.order = SampleOrder::kShuffle;
    cells.emplace_back("records, shuffled", options);
    const auto side = static_cast<std::uint32_t>(crop_);
    options.transform = RandomResizedCrop{.width = side, .height = side};
    if (!trace_.empty()) options.trace_events = kTraceEvents;
    cells.emplace_back("random crops to " + std::to_string(side), options);
    return cells;
  }

  // By time there is no telling how many there will be.
  Progress ProgressOf(const LoaderStats& stats, const Dataset& dataset) const {
    Progress progress;
    progress.samples = stats.images;
    progress.samples_total = seconds_ == 0 ? dataset.size() : 0;
    progress.bytes = stats.bytes;
    return progress;
  }

  Result<Rate> Measure(const std::string& name,
                       const std::shared_ptr<const Dataset>& dataset,
                       const LoaderOptions& options,
                       const std::stop_token& stop) const {
    const auto created = Loader::Create(dataset, options);
    if (!created.ok()) return created.status();
    Loader& loader = **created;
    // Next() may wait for long, and is only woken by the loader itself.
    const std::stop_callback stopper(stop, [&] { loader.Stop(); });
    ProgressReporter progress("measuring " + name + " ...", name);
    const double begin = CpuSeconds();
    while (seconds_ == 0
               ? loader.epoch() == 0
               : loader.stats().seconds < static_cast<double>(seconds_)) {
      const auto batch = loader.Next();
      if (!batch.ok()) return batch.status();
      progress.Report(ProgressOf(loader.stats(), *dataset));
    }
    const Rate rate{name, loader.stats(), CpuSeconds() - begin};
    // The trace is written after the clocks were read.
    if (options.trace_events == 0) return rate;
    const Status written = loader.WriteTrace(trace_);
    if (!written.ok()) return written;
    return rate;
  }

  DatasetOptions dataset_;
  std::uint64_t crop_ = 224;
  std::uint64_t batch_size_ = 64;
  std::uint64_t seconds_ = 3;
  std::uint64_t jobs_ = 0;
  std::string trace_;
  std::string plot_;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Verb> MakeBenchVerb() { return std::make_unique<BenchVerb>(); }

}  // namespace shardine
