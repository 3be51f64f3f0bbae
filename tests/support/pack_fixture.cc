#include "support/pack_fixture.h"

#include <catch2/catch.hpp>
#include <chrono>
#include <stop_token>
#include <thread>

#include "base/philox.h"
#include "shard/format.h"
#include "shardine/pack.h"

namespace shardine {

std::string NoiseBytes(std::size_t size, std::uint64_t seed) {
  std::string bytes;
  for (std::uint32_t block = 0; bytes.size() < size; ++block) {
    const auto words =
        Philox4x32({block, 0, 0, 0}, {static_cast<std::uint32_t>(seed),
                                      static_cast<std::uint32_t>(seed >> 32)});
    for (const std::uint32_t word : words) AppendLe(word, bytes);
  }
  bytes.resize(size);
  return bytes;
}

void PutTree(MemoryStorage& storage, const std::string& tree, int classes,
             int per_class, std::size_t max_size) {
  std::uint64_t number = 0;
  for (int c = 0; c < classes; ++c) {
    for (int i = 0; i < per_class; ++i, ++number) {
      const std::size_t size = number * 7919 % (max_size + 1);
      std::string bytes = NoiseBytes(size, number);
      if (number % 5 == 0 && size >= 16) {
        bytes.replace(8, 4, "\x0a\x23\xd7\xce");
      }
      storage.Put(tree + "/class" + std::to_string(c) + "/" +
                      std::to_string(i) + ".jpg",
                  bytes);
    }
  }
}

PackOptions PackOf(const std::string& tree, const std::string& output) {
  PackOptions options;
  options.source.folders = {{"train", tree}};
  options.output = output;
  options.shards = 3;
  options.seed = 7;
  options.check = ImageCheckLevel::kNone;
  options.threads = 2;
  return options;
}

Status StopAfterFirstShard(MemoryStorage& storage, const PackOptions& options) {
  const std::string sidecar =
      options.output + "/.shardine/train-00000-of-00003.rec.sdx";
  std::stop_source stop;
  const auto on_progress = [&](const Progress& progress) {
    // Blocks end where shards do: here the first one is on its way.
    if (progress.samples <= progress.samples_total / 3 + 1) return;
    const auto limit =
        std::chrono::steady_clock::now() + std::chrono::minutes(1);
    while (!storage.Stat(sidecar).ok() &&
           std::chrono::steady_clock::now() < limit) {
      std::this_thread::yield();
    }
    stop.request_stop();
  };
  Status status = Pack(options, {.progress = on_progress,
                                 .stop = stop.get_token(),
                                 .storage = &storage})
                      .status();
  REQUIRE(storage.Stat(sidecar).ok());
  return status;
}

Snapshot TakeSnapshot(Storage& storage, const std::string& folder) {
  Snapshot snapshot;
  const auto entries = storage.List(folder);
  if (!entries.ok()) return snapshot;
  for (const DirEntry& entry : *entries) {
    const std::string path = JoinPath(folder, entry.name);
    if (entry.kind == FileKind::kDirectory) {
      for (auto& [name, contents] : TakeSnapshot(storage, path)) {
        snapshot[entry.name + "/" + name] = contents;
      }
    } else {
      const auto contents = ReadFile(storage, path, UINT64_MAX);
      REQUIRE(contents.ok());
      snapshot[entry.name] = *contents;
    }
  }
  return snapshot;
}

}  // namespace shardine
