// Planning a pack of ImageNet-21k's size from a list, on storage in memory so
// that no disk is measured: 14,197,087 entries. Prints seconds and the memory
// that planning took beyond the storage's own, in MiB.

#include <sys/resource.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>

#include "io/memory_storage.h"
#include "pack/pack_plan.h"

namespace shardine {
namespace {

constexpr std::uint64_t kSamples = 14'197'087;

// Now, not the peak.
double ResidentMib() {
  std::ifstream file("/proc/self/statm");
  long total = 0;
  long resident = 0;
  file >> total >> resident;
  return static_cast<double>(resident) * 4096 / (1 << 20);
}

double PeakMib() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

void PutSources(MemoryStorage& storage) {
  std::string list;
  list.reserve(kSamples * 52);
  for (std::uint64_t id = 0; id < kSamples; ++id) {
    char line[96];
    const auto synset = static_cast<unsigned long long>(id / 650);
    std::snprintf(line, sizeof(line), "%llu\t%llu\tn%08llu/n%08llu_%llu.JPEG\n",
                  static_cast<unsigned long long>(id), synset, synset, synset,
                  static_cast<unsigned long long>(id % 650));
    list += line;
    const std::string text(line);
    const std::string path = text.substr(text.rfind('\t') + 1);
    storage.PutSparse("tree/" + path.substr(0, path.size() - 1),
                      15'000 + id % 5000);
  }
  storage.Put("list.lst", std::move(list));
}

int Run() {
  MemoryStorage storage;
  PutSources(storage);
  const double before = ResidentMib();
  PackOptions options;
  options.source.folders = {{"train", "tree"}};
  options.source.list = "list.lst";
  options.output = "out";
  const auto begin = std::chrono::steady_clock::now();
  const auto planned = MakePackPlan(storage, {storage, options.output}, options,
                                    BuiltinFormats());
  const std::chrono::duration<double> taken =
      std::chrono::steady_clock::now() - begin;
  if (!planned.ok()) {
    std::fprintf(stderr, "%s\n", planned.status().ToString().c_str());
    return EXIT_FAILURE;
  }
  std::printf(
      "{\"samples\": %zu, \"shards\": %zu, \"seconds\": %.1f, "
      "\"storage_mib\": %.0f, \"planning_mib\": %.0f}\n",
      planned->plan.source().samples.size(), planned->plan.shards().size(),
      taken.count(), before, PeakMib() - before);
  return EXIT_SUCCESS;
}

}  // namespace
}  // namespace shardine

int main() { return shardine::Run(); }
