// bench_load_disk DATASET ORDER SAMPLES [SEEKS_A_SECOND MEGABYTES_A_SECOND]:
// records a second, raw, of a disk that seeks, by the clock: ORDER is
// sequential, shuffle or blocks. The disk is a model (seeking_disk.h). Prints
// the rate.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <string>
#include <utility>

#include "base/status_macros.h"
#include "bench/seeking_disk.h"
#include "dataset/sample_source.h"
#include "io/local_storage.h"
#include "shardine/loader.h"
#include "shardine/loader_words.h"

namespace shardine {
namespace {

Status Measure(const std::string& folder, SampleOrder order,
               std::uint64_t samples, double seeks, double megabytes) {
  DiskStorage storage(LocalStorage(), seeks, megabytes * 1e6);
  SHARDINE_ASSIGN_OR_RETURN(auto source,
                            SampleSource::Open(storage, folder, {}));
  const auto dataset = std::make_shared<const Dataset>(std::move(source));
  LoaderOptions options;
  options.batch_size = 64;
  options.threads = 2;
  options.order.order = order;
  options.last_batch = LastBatch::kShort;
  SHARDINE_ASSIGN_OR_RETURN(const auto loader,
                            Loader::Create(dataset, options));
  const auto begin = Clock::now();
  std::uint64_t read = 0;
  while (read < samples) {
    SHARDINE_ASSIGN_OR_RETURN(const auto batch, loader->Next());
    if (batch) read += batch->size();
  }
  const std::chrono::duration<double> took = Clock::now() - begin;
  std::printf("%.1f\n", static_cast<double>(read) / took.count());
  return {};
}

}  // namespace
}  // namespace shardine

int main(int argc, char** argv) {
  const auto order = argc < 3
                         ? std::nullopt
                         : shardine::EnumOf<shardine::SampleOrder>(argv[2]);
  if ((argc != 4 && argc != 6) || !order) {
    std::cerr << "usage: bench_load_disk DATASET sequential|shuffle|blocks "
                 "SAMPLES [SEEKS_A_SECOND MEGABYTES_A_SECOND]\n";
    return 2;
  }
  const shardine::Status status =
      shardine::Measure(argv[1], *order, std::strtoull(argv[3], nullptr, 10),
                        argc == 6 ? std::atof(argv[4]) : 110,
                        argc == 6 ? std::atof(argv[5]) : 170);
  if (!status.ok()) std::cerr << status.ToString() << "\n";
  return status.ok() ? 0 : 1;
}
