// bench_rank_plan SAMPLES RANKS NODES: the cost for one rank of many of knowing
// which samples are its own: CPU nanoseconds a sample, and the bytes that the
// process grows by meanwhile. In exact shuffle, in blocks, and in blocks that
// nodes share.
#include <sys/resource.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>

#include "load/node_order.h"
#include "load/step_plan.h"

namespace shardine {
namespace {

constexpr std::uint32_t kBatchSize = 32;

long PeakKibibytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

void Measure(const char* name, std::uint64_t samples, std::uint32_t ranks,
             const OrderOptions& options) {
  const long before = PeakKibibytes();
  const std::clock_t begin = std::clock();
  std::uint64_t taken = 0;
  std::uint64_t sum = 0;
  for (std::uint32_t rank = 0; rank < ranks && taken < 1'000'000; ++rank) {
    const StepPlan steps(samples, kBatchSize, rank, ranks, LastBatch::kShort);
    const NodeSharing sharing{
        options.nodes, std::uint64_t{ranks} / options.nodes * kBatchSize};
    StreamPosition at = steps.Begin(0);
    while (steps.StepsLeft(at) > 0) {
      // The loader, too, makes an order for each batch.
      NodeOrder order(samples, options, sharing, 7, 0);
      const RankSlice slice = steps.Slice(at);
      for (std::uint32_t i = 0; i < slice.count; ++i, ++taken) {
        sum += order(steps.At(slice, i).position);
      }
      at = steps.Behind(at);
    }
  }
  const double seconds =
      static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  std::printf("%-16s %7.0f ns a sample, %ld KiB more (checksum %llu)\n", name,
              seconds * 1e9 / static_cast<double>(taken),
              PeakKibibytes() - before, static_cast<unsigned long long>(sum));
}

}  // namespace
}  // namespace shardine

int main(int argc, char** argv) {
  using namespace shardine;
  if (argc != 4) {
    std::fprintf(stderr, "usage: bench_rank_plan SAMPLES RANKS NODES\n");
    return 2;
  }
  const std::uint64_t samples = std::strtoull(argv[1], nullptr, 10);
  const auto ranks =
      static_cast<std::uint32_t>(std::strtoul(argv[2], nullptr, 10));
  const auto nodes =
      static_cast<std::uint32_t>(std::strtoul(argv[3], nullptr, 10));
  Measure("shuffle", samples, ranks, {});
  Measure("blocks", samples, ranks, {.order = SampleOrder::kBlocks});
  Measure("blocks of nodes", samples, ranks,
          {.order = SampleOrder::kBlocks, .nodes = nodes});
}
