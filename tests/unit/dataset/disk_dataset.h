// DiskDataset: a dataset in a fresh directory whose shards are payloads in a
// row, made without any format: enough for inspecting and extracting.
#ifndef SHARDINE_UNIT_DATASET_DISK_DATASET_H_
#define SHARDINE_UNIT_DATASET_DISK_DATASET_H_

#include <catch2/catch.hpp>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/checksum.h"
#include "dataset/manifest.h"
#include "io/atomic_file.h"
#include "io/local_storage.h"
#include "shard/shard_index.h"
#include "support/temp_directory.h"

namespace shardine {

struct DiskSample {
  std::uint64_t id = 0;
  std::string key;
  std::string image;
  std::vector<Label> labels = {};
  bool has_image = true;  // else its one field has another name
  std::string mask = {};  // a field after the image, if not empty
  std::size_t cut = 0;    // bytes of the image in a first extent; 0: one
};

class DiskDataset {
 public:
  DiskDataset() {
    manifest.format = "recordio/mxnet";
    manifest.plan_digest = {1, 2};
    manifest.tool_version = "0.0.0";
  }

  std::string path() const { return directory_ / "data"; }
  std::string operator/(const std::string& name) const {
    return directory_ / name;
  }

  // SPLIT-N.rec, N counting from 0. Splits by ascending name.
  void AddShard(const std::string& split,
                const std::vector<DiskSample>& samples) {
    if (manifest.splits.empty() || manifest.splits.back().name != split) {
      manifest.splits.emplace_back().name = split;
    }
    ManifestSplit& entry = manifest.splits.back();
    const std::string name =
        split + "-" + std::to_string(entry.shards.size()) + ".rec";
    entry.shards.push_back(WriteShard(name, samples));
    entry.samples += samples.size();
  }

  void Publish() {
    REQUIRE(WriteManifest(LocalStorage(), path(), manifest).ok());
  }

  void Flip(const std::string& file, std::size_t offset) {
    const std::string name = path() + "/" + file;
    auto bytes = ReadFile(LocalStorage(), name, 1 << 24);
    REQUIRE(bytes.ok());
    bytes->at(offset) ^= 1;
    REQUIRE(WriteFileAtomically(LocalStorage(), name, AsBytes(*bytes)).ok());
  }

  Manifest manifest;

 private:
  // Puts the fields of a sample behind `contents`, with gaps.
  static IndexEntry Lay(const DiskSample& sample, std::string& contents) {
    IndexEntry entry;
    entry.id = sample.id;
    entry.labels = sample.labels;
    const auto lay = [&](const std::string& bytes) {
      contents += "..";
      contents += bytes;
      return Extent{contents.size() - bytes.size(), bytes.size()};
    };
    const std::string dtype(kBytesDtype);
    std::vector<Extent> extents;
    if (sample.cut > 0)
      extents.push_back(lay(sample.image.substr(0, sample.cut)));
    extents.push_back(lay(sample.image.substr(sample.cut)));
    entry.fields.push_back(
        {sample.has_image ? "image" : "array", dtype, {}, extents});
    if (!sample.mask.empty()) {
      entry.fields.push_back({"mask", dtype, {}, {lay(sample.mask)}});
    }
    entry.payload_crc = Crc32c(AsBytes(sample.image + sample.mask));
    return entry;
  }

  ManifestShard WriteShard(const std::string& name,
                           const std::vector<DiskSample>& samples) {
    Storage& storage = LocalStorage();
    REQUIRE(storage.CreateDirectories(path()).ok());
    std::string contents;
    ShardIndexWriter writer;
    for (const DiskSample& sample : samples) {
      writer.Add(Lay(sample, contents), sample.key);
    }
    const std::string file = path() + "/" + name;
    REQUIRE(WriteFileAtomically(storage, file, AsBytes(contents)).ok());
    const Digest128 digest = Xxh3_128(AsBytes(contents));
    auto sidecar = AtomicFile::Create(storage, file + ".sdx");
    REQUIRE(sidecar.ok());
    REQUIRE(writer.WriteTo(*sidecar, {contents.size(), digest, {1, 2}}).ok());
    REQUIRE(sidecar->Publish().ok());
    const auto index = ReadFile(storage, file + ".sdx", 1 << 24);
    REQUIRE(index.ok());
    return {.file = {name, contents.size(), digest},
            .samples = samples.size(),
            .companions = {
                {name + ".sdx", index->size(), Xxh3_128(AsBytes(*index))}}};
  }

  TempDirectory directory_;
};

}  // namespace shardine

#endif  // SHARDINE_UNIT_DATASET_DISK_DATASET_H_
