// bench_next_batch DATASET SIZE BATCHES: the cost of batches to the thread that
// takes them in C++: RandomResizedCrop to SIZE, batches of 64, two threads.
// SIZE 0: records as they are. Prints its CPU microseconds per batch.
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <iostream>
#include <string>

#include "base/status_macros.h"
#include "shardine/loader.h"

namespace shardine {
namespace {

double ThreadSeconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) +
         static_cast<double>(now.tv_nsec) * 1e-9;
}

Status Take(Loader& loader, std::uint64_t batches) {
  while (batches > 0) {
    SHARDINE_ASSIGN_OR_RETURN(const auto batch, loader.Next());
    if (batch) --batches;
  }
  return {};
}

Status Measure(const std::string& folder, std::uint32_t size,
               std::uint64_t batches) {
  SHARDINE_ASSIGN_OR_RETURN(const auto dataset, Dataset::Open(folder));
  LoaderOptions options;
  options.batch_size = 64;
  options.threads = 2;
  if (size > 0) {
    options.transform = RandomResizedCrop{.width = size, .height = size};
  }
  SHARDINE_ASSIGN_OR_RETURN(const auto loader,
                            Loader::Create(dataset, options));
  SHARDINE_RETURN_IF_ERROR(Take(*loader, batches / 10));
  const double begin = ThreadSeconds();
  SHARDINE_RETURN_IF_ERROR(Take(*loader, batches));
  std::printf("%.2f\n",
              (ThreadSeconds() - begin) * 1e6 / static_cast<double>(batches));
  return {};
}

}  // namespace
}  // namespace shardine

int main(int argc, char** argv) {
  if (argc != 4) {
    std::cerr << "usage: bench_next_batch DATASET SIZE BATCHES\n";
    return 2;
  }
  const shardine::Status status =
      shardine::Measure(argv[1], static_cast<std::uint32_t>(std::atoi(argv[2])),
                        std::strtoull(argv[3], nullptr, 10));
  if (!status.ok()) std::cerr << status.ToString() << '\n';
  return status.ok() ? 0 : 1;
}
