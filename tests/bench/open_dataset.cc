// Opening a dataset of ImageNet-21k's size: 14,197,087 samples in 1,000 shards
// with synthetic sidecars (there are no shards: opening reads none).
//
//   bench_open_dataset make FOLDER
//   bench_open_dataset open FOLDER     prints ms and the peak memory in KiB

#include <sys/resource.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "base/permutation.h"
#include "base/status_macros.h"
#include "dataset/dataset_reader.h"
#include "io/atomic_file.h"
#include "io/local_storage.h"
#include "shard/shard_index.h"

namespace shardine {
namespace {

constexpr std::uint64_t kSamples = 14'197'087;
constexpr std::uint64_t kShards = 1000;
constexpr std::uint64_t kImageBytes = 17'600;  // 250 GB over all

std::string KeyOf(std::uint64_t id) {
  char text[64];
  std::snprintf(text, sizeof(text), "n%08llu/n%08llu_%llu.JPEG",
                static_cast<unsigned long long>(id / 650),
                static_cast<unsigned long long>(id / 650),
                static_cast<unsigned long long>(id % 650));
  return text;
}

IndexEntry EntryOf(std::uint64_t id, std::uint64_t record) {
  IndexEntry entry;
  entry.id = id;
  entry.labels = {static_cast<std::int64_t>(id / 650)};
  entry.fields = {{std::string(kImageField),
                   std::string(kBytesDtype),
                   {},
                   {{32 + record * (kImageBytes + 32), kImageBytes}}}};
  entry.payload_crc = static_cast<std::uint32_t>(id * 2654435761u);
  entry.content_digest = {id * 0x9E3779B97F4A7C15u, ~id};
  entry.facts = {ImageKind::kJpeg, ImageCoding::kBaseline, 500, 375, 3, 8, 0};
  return entry;
}

Status WriteShard(const std::string& folder, std::uint64_t k,
                  const Permutation& order, ManifestSplit& split) {
  char name[64];
  std::snprintf(name, sizeof(name), "train-%05llu-of-%05llu.rec",
                static_cast<unsigned long long>(k),
                static_cast<unsigned long long>(kShards));
  const std::uint64_t first = k * kSamples / kShards;
  const std::uint64_t last = (k + 1) * kSamples / kShards;
  ManifestShard shard;
  shard.samples = last - first;
  shard.file = {name, shard.samples * (kImageBytes + 32), {k, k}};
  ShardIndexWriter writer;
  for (std::uint64_t position = first; position < last; ++position) {
    const std::uint64_t id = order(position);
    writer.Add(EntryOf(id, position - first), KeyOf(id));
  }
  const std::string sidecar = SidecarName(name);
  SHARDINE_RETURN_IF_ERROR(
      LocalStorage().CreateDirectories(DirectoryOf(JoinPath(folder, sidecar))));
  SHARDINE_ASSIGN_OR_RETURN(
      AtomicFile file,
      AtomicFile::Create(LocalStorage(), JoinPath(folder, sidecar)));
  SHARDINE_RETURN_IF_ERROR(
      writer.WriteTo(file, {shard.file.bytes, shard.file.digest, {}}));
  SHARDINE_RETURN_IF_ERROR(file.Publish());
  SHARDINE_ASSIGN_OR_RETURN(const FileInfo info,
                            LocalStorage().Stat(JoinPath(folder, sidecar)));
  shard.companions = {{sidecar, info.size, {}}};
  split.samples += shard.samples;
  split.shards.push_back(std::move(shard));
  return Status();
}

Status Make(const std::string& folder) {
  SHARDINE_RETURN_IF_ERROR(LocalStorage().CreateDirectories(folder));
  const Permutation order(kSamples, 0, "bench");
  Manifest manifest;
  manifest.format = "recordio/mxnet";
  for (std::int64_t c = 0; c < 21'841; ++c) {
    manifest.classes.push_back({KeyOf(static_cast<std::uint64_t>(c) * 650), c,
                                c < 21'840 ? 650u : 1'087u});
  }
  manifest.splits.resize(1);
  manifest.splits[0].name = "train";
  for (std::uint64_t k = 0; k < kShards; ++k) {
    SHARDINE_RETURN_IF_ERROR(WriteShard(folder, k, order, manifest.splits[0]));
  }
  return WriteManifest(LocalStorage(), folder, manifest);
}

// Opening means: after it, the last sample of the last shard can be had.
Status Open(const std::string& folder) {
  const auto begin = std::chrono::steady_clock::now();
  SHARDINE_ASSIGN_OR_RETURN(const auto dataset,
                            DatasetReader::Open(LocalStorage(), folder));
  const auto& shard = dataset->shards().back();
  SHARDINE_ASSIGN_OR_RETURN(const auto index, dataset->OpenIndex(shard));
  SHARDINE_ASSIGN_OR_RETURN(const IndexEntry entry,
                            index->Entry(index->size() - 1));
  const std::chrono::duration<double, std::milli> taken =
      std::chrono::steady_clock::now() - begin;
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  std::printf("{\"samples\": %llu, \"ms\": %.2f, \"peak_kib\": %ld}\n",
              static_cast<unsigned long long>(dataset->manifest().samples()),
              taken.count(), usage.ru_maxrss);
  return entry.fields.empty() ? Status(Code::kFailed, "no field") : Status();
}

}  // namespace
}  // namespace shardine

int main(int argc, char** argv) {
  const std::string verb = argc == 3 ? argv[1] : "";
  if (verb != "make" && verb != "open") {
    std::fprintf(stderr, "usage: bench_open_dataset make|open FOLDER\n");
    return 2;
  }
  const shardine::Status status =
      verb == "make" ? shardine::Make(argv[2]) : shardine::Open(argv[2]);
  if (!status.ok()) std::fprintf(stderr, "%s\n", status.ToString().c_str());
  return status.ok() ? EXIT_SUCCESS : EXIT_FAILURE;
}
