// Small datasets in memory for loaders: read through any storage on top, so
// that reads can fail, and made fast enough to have many.
#ifndef SHARDINE_TESTS_UNIT_LOAD_MEMORY_DATASET_H_
#define SHARDINE_TESTS_UNIT_LOAD_MEMORY_DATASET_H_

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "dataset/sample_source.h"
#include "io/memory_storage.h"
#include "shardine/dataset.h"
#include "shardine/pack.h"
#include "support/jpeg_maker.h"
#include "support/pack_fixture.h"

namespace shardine {

// JPEGs of 8 to 16 pixels in four classes. Packed shuffled, so that ids are no
// positions. Without any samples: an empty shard.
class MemoryDataset {
 public:
  explicit MemoryDataset(std::uint32_t samples, std::uint64_t shards = 3,
                         std::string path = "out")
      : path_(std::move(path)) {
    if (samples == 0) {
      storage_.Put(kEmpty, "");
      return;
    }
    for (std::uint32_t i = 0; i < samples; ++i) {
      storage_.Put(
          "tree/class" + std::to_string(i % 4) + "/" +
              std::to_string(1000 + i) + ".jpg",
          MakeJpeg(
              {.width = 8 + i % 9, .height = 8 + i / 9 % 9, .seed = i + 1}));
    }
    PackOptions pack = PackOf("tree", path_);
    pack.shards = std::min<std::uint64_t>(shards, samples);
    const auto packed = Pack(pack, {.storage = &storage_});
    REQUIRE(packed.status().ToString() == "OK");
  }

  MemoryStorage& storage() { return storage_; }
  std::shared_ptr<const Dataset> Open() { return Open(storage_); }
  // `through` stands on storage().
  std::shared_ptr<const Dataset> Open(Storage& through) const {
    auto source = TryOpen(through);
    REQUIRE(source.status().ToString() == "OK");
    return std::make_shared<const Dataset>(*std::move(source));
  }
  Result<std::unique_ptr<SampleSource>> TryOpen(Storage& through) const {
    if (!storage_.Get(kEmpty).ok()) {
      return SampleSource::Open(through, path_, {});
    }
    return SampleSource::OpenShards(through, {kEmpty}, {}, BuiltinFormats());
  }

 private:
  static constexpr char kEmpty[] = "empty.rec";
  const std::string path_;
  MemoryStorage storage_;
};

}  // namespace shardine

#endif  // SHARDINE_TESTS_UNIT_LOAD_MEMORY_DATASET_H_
