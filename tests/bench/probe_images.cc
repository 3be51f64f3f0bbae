// bench_probe_images TREE [ROUNDS]: how long ProbeImage takes for each file of
// a tree, from memory: the mean over all, and the slowest file's best round.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "image/probe.h"

namespace shardine {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

std::vector<std::string> Load(const fs::path& tree) {
  std::vector<std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(tree)) {
    if (!entry.is_regular_file()) continue;
    std::ifstream file(entry.path(), std::ios::binary);
    files.emplace_back(std::istreambuf_iterator<char>(file),
                       std::istreambuf_iterator<char>());
  }
  return files;
}

double Microseconds(Clock::time_point since) {
  return std::chrono::duration<double, std::micro>(Clock::now() - since)
      .count();
}

int Main(const fs::path& tree, int rounds) {
  const std::vector<std::string> files = Load(tree);
  std::vector<double> best(files.size(), 1e9);
  std::uint64_t good = 0;
  double total = 0;
  for (int round = 0; round < rounds; ++round) {
    const auto start = Clock::now();
    for (std::size_t i = 0; i < files.size(); ++i) {
      const auto begun = Clock::now();
      good += ProbeImage(AsBytes(files[i])).problem == ImageProblem::kNone;
      best[i] = std::min(best[i], Microseconds(begun));
    }
    total += Microseconds(start);
  }
  const auto count = static_cast<double>(files.size());
  std::printf("%zu files, %.0f good, %.3f us each, slowest %.3f us\n",
              files.size(), static_cast<double>(good) / rounds,
              total / rounds / count,
              files.empty() ? 0.0 : *std::ranges::max_element(best));
  return 0;
}

}  // namespace
}  // namespace shardine

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  return shardine::Main(argv[1], argc > 2 ? std::atoi(argv[2]) : 20);
}
