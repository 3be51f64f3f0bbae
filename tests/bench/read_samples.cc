// The cost of reading samples, without decoding: opening by a manifest of
// ImageNet-21k's size, and the records of a dataset one by one.
//
//   bench_read_samples make FOLDER SHARDS    a manifest, and nothing else
//   bench_read_samples open FOLDER           ms: the first time, the best of 9
//   bench_read_samples read DATASET ORDER THREADS
//       ORDER: sequential, shuffle; or floor: the same bytes with one pread
//       each and their CRC-32C, sequentially, by extents known in advance.
//       Microseconds of processor time and of the wall per record.

#include <sys/resource.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "base/check.h"
#include "base/checksum.h"
#include "base/permutation.h"
#include "base/status_macros.h"
#include "dataset/manifest.h"
#include "dataset/sample_source.h"
#include "io/local_storage.h"
#include "pipeline/parallel_for.h"
#include "shard/entry_point_file.h"
#include "shard/shard_index.h"

namespace shardine {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::uint64_t kSamples = 14'197'087;

double Seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) +
         static_cast<double>(time.tv_usec) / 1e6;
}

double ProcessorSeconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return Seconds(usage.ru_utime) + Seconds(usage.ru_stime);
}

Status Make(const std::string& folder, std::uint64_t shards) {
  SHARDINE_RETURN_IF_ERROR(LocalStorage().CreateDirectories(folder));
  Manifest manifest;
  manifest.format = "recordio/mxnet";
  for (std::int64_t c = 0; c < 21'841; ++c) {
    char name[32];
    std::snprintf(name, sizeof(name), "n%08lld", static_cast<long long>(c));
    manifest.classes.push_back({name, c, c < 21'840 ? 650u : 1'087u});
  }
  ManifestSplit& split = manifest.splits.emplace_back();
  split.name = "train";
  split.samples = kSamples;
  manifest.entry_points.images = kSamples;
  for (std::uint64_t k = 0; k < shards; ++k) {
    char name[64];
    std::snprintf(name, sizeof(name), "train-%05llu-of-%05llu",
                  static_cast<unsigned long long>(k),
                  static_cast<unsigned long long>(shards));
    const std::string stem = name;
    const std::string shard = stem + ".rec";
    const std::uint64_t samples =
        (k + 1) * kSamples / shards - k * kSamples / shards;
    split.shards.push_back(
        {{shard, samples * 110'000, {k, ~k}},
         samples,
         {{EntryPointName(SidecarName(shard)), samples * 2'300, {k, k * 77}},
          {SidecarName(shard), samples * 90, {k * 99, k}},
          {stem + ".idx", samples * 16, {~k, k}}}});
  }
  return WriteManifest(LocalStorage(), folder, manifest);
}

Status Open(const std::string& folder) {
  double first = 0;
  double best = 1e9;
  for (int i = 0; i < 10; ++i) {
    const auto begin = Clock::now();
    SHARDINE_ASSIGN_OR_RETURN(const auto source,
                              SampleSource::Open(LocalStorage(), folder, {}));
    const std::chrono::duration<double, std::milli> taken =
        Clock::now() - begin;
    SHARDINE_CHECK(source->size() == kSamples);
    (i == 0 ? first : best) =
        i == 0 ? taken.count() : std::min(best, taken.count());
  }
  std::printf("{\"first_ms\": %.2f, \"best_ms\": %.2f}\n", first, best);
  return Status();
}

// The n-th record of the measured order, whole and checked.
using Reader = std::function<Status(std::uint64_t n, SampleRead& sample)>;

Status Measure(std::uint64_t records, unsigned threads, const Reader& read) {
  std::atomic<std::uint64_t> bytes = 0;
  const double processor = ProcessorSeconds();
  const auto begin = Clock::now();
  const Status done = ParallelFor(threads, threads, [&](std::size_t t) {
    SampleRead sample;
    for (std::uint64_t n = t; n < records; n += threads) {
      SHARDINE_RETURN_IF_ERROR(read(n, sample));
      bytes += sample.payload.size();
    }
    return Status();
  });
  SHARDINE_RETURN_IF_ERROR(done);
  const std::chrono::duration<double> wall = Clock::now() - begin;
  const double used = ProcessorSeconds() - processor;
  const auto count = static_cast<double>(records);
  std::printf(
      "{\"records\": %llu, \"bytes\": %llu, \"cpu_us\": %.2f, "
      "\"wall_us\": %.2f}\n",
      static_cast<unsigned long long>(records),
      static_cast<unsigned long long>(bytes.load()), used / count * 1e6,
      wall.count() / count * 1e6);
  return Status();
}

Status Floor(const SampleSource& source, unsigned threads) {
  std::vector<IndexEntry> entries;
  SHARDINE_RETURN_IF_ERROR(source.Entries(0, source.size(), entries));
  std::vector<std::unique_ptr<RandomAccessFile>> files;
  std::vector<std::size_t> file_of;
  std::string last;
  for (std::uint64_t i = 0; i < source.size(); ++i) {
    const std::string path = source.WhereIs(i).path;
    if (path != last) {
      SHARDINE_ASSIGN_OR_RETURN(auto file, LocalStorage().Open(path));
      files.push_back(std::move(file));
      last = path;
    }
    file_of.push_back(files.size() - 1);
  }
  return Measure(
      source.size(), threads,
      [&](std::uint64_t n, SampleRead& sample) -> Status {
        const Extent& extent = entries[n].fields[0].extents[0];
        sample.memory.Resize(extent.length);
        SHARDINE_RETURN_IF_ERROR(files[file_of[n]]->ReadExactly(
            extent.offset, sample.memory.span()));
        sample.payload = sample.memory.view();
        SHARDINE_CHECK(Crc32c(sample.payload) == entries[n].payload_crc);
        return Status();
      });
}

Status Read(const std::string& dataset, const std::string& order,
            unsigned threads) {
  SHARDINE_ASSIGN_OR_RETURN(const auto source,
                            SampleSource::Open(LocalStorage(), dataset, {}));
  if (order == "floor") return Floor(*source, threads);
  const Permutation shuffled(source->size(), 0, "bench");
  const bool shuffle = order == "shuffle";
  return Measure(source->size(), threads,
                 [&](std::uint64_t n, SampleRead& sample) {
                   return source->Read(shuffle ? shuffled(n) : n,
                                       EntryPointUse::kSkip, sample);
                 });
}

}  // namespace
}  // namespace shardine

int main(int argc, char** argv) {
  const std::string verb = argc > 2 ? argv[1] : "";
  shardine::Status status;
  if (verb == "make" && argc == 4) {
    status = shardine::Make(argv[2], std::strtoull(argv[3], nullptr, 10));
  } else if (verb == "open" && argc == 3) {
    status = shardine::Open(argv[2]);
  } else if (verb == "read" && argc == 5) {
    status = shardine::Read(argv[2], argv[3],
                            static_cast<unsigned>(std::atoi(argv[4])));
  } else {
    std::fprintf(stderr, "usage: bench_read_samples make|open|read ...\n");
    return 2;
  }
  if (!status.ok()) std::fprintf(stderr, "%s\n", status.ToString().c_str());
  return status.ok() ? EXIT_SUCCESS : EXIT_FAILURE;
}
