// A small dataset of JPEGs on disk, and the batches of a loader of it.
#ifndef SHARDINE_TESTS_UNIT_LOAD_LOADER_FIXTURE_H_
#define SHARDINE_TESTS_UNIT_LOAD_LOADER_FIXTURE_H_

#include <catch2/catch.hpp>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "shardine/loader.h"
#include "shardine/pack.h"
#include "support/jpeg_maker.h"
#include "support/temp_directory.h"

namespace shardine {

// `images` JPEGs of three classes and all sizes, packed into three shards.
class LoaderFixture {
 public:
  explicit LoaderFixture(std::uint32_t images,
                         const std::string& format = "recordio") {
    for (std::uint32_t i = 0; i < images; ++i) Write(i);
    PackOptions pack;
    pack.source.folders = {{"train", temp_ / "tree"}};
    pack.output = temp_ / "out";
    pack.format = format;
    pack.shards = 3;
    const auto packed = Pack(pack);
    REQUIRE(packed.status().ToString() == "OK");
  }

  std::string path() const { return temp_ / "out"; }

  std::shared_ptr<const Dataset> Open(
      const DatasetOptions& options = {}) const {
    auto dataset = Dataset::Open(path(), options);
    REQUIRE(dataset.status().ToString() == "OK");
    return *std::move(dataset);
  }

  std::unique_ptr<Loader> Load(const LoaderOptions& options) const {
    auto loader = Loader::Create(Open(), options);
    REQUIRE(loader.status().ToString() == "OK");
    return *std::move(loader);
  }

  // Changes a byte in the middle of a sample's image.
  void Damage(std::uint64_t position) const {
    const auto sample = Open()->Read(position);
    REQUIRE(sample.ok());
    const std::string image(
        reinterpret_cast<const char*>(sample->image().data()),
        sample->image().size());
    for (const auto& entry : std::filesystem::directory_iterator(path())) {
      std::fstream file(entry.path(),
                        std::ios::in | std::ios::out | std::ios::binary);
      const std::string content{std::istreambuf_iterator<char>(file), {}};
      const std::size_t at = content.find(image);
      if (at == std::string::npos) continue;
      const std::size_t byte = at + image.size() / 2;
      file.clear();
      file.seekp(static_cast<std::streamoff>(byte));
      file.put(static_cast<char>(content[byte] ^ 0x10));
      return;
    }
    FAIL("the image is in no shard");
  }

 private:
  void Write(std::uint32_t i) const {
    const std::string folder = (temp_ / "tree/class") + std::to_string(i % 3);
    std::filesystem::create_directories(folder);
    std::ofstream(folder + "/" + std::to_string(i) + ".jpg", std::ios::binary)
        << MakeJpeg({.width = 40 + 7 * (i % 11),
                     .height = 30 + 5 * (i % 13),
                     .color = i % 5 == 0 ? JpegColor::kGray : JpegColor::kYcc,
                     .across = i % 2 == 0 ? 2 : 1,
                     .down = i % 2 == 0 ? 2 : 1,
                     .seed = i + 1});
  }

  TempDirectory temp_;
};

// The delivered samples, without the memory of batches.
struct Delivered {
  std::vector<std::uint64_t> ids;
  std::vector<std::int64_t> labels;
  std::vector<CropBox> boxes;
  std::string pixels;
  std::uint32_t padding = 0;
  std::vector<std::uint32_t> sizes;  // of the batches

  void Add(const Batch& batch) {
    sizes.push_back(batch.size());
    padding += batch.padding();
    ids.insert(ids.end(), batch.ids().begin(), batch.ids().end());
    boxes.insert(boxes.end(), batch.boxes().begin(), batch.boxes().end());
    for (const Label& label : batch.labels()) labels.push_back(label.integer());
    pixels.append(reinterpret_cast<const char*>(batch.pixels().data()),
                  batch.pixels().size());
    for (const auto record : batch.records()) {
      pixels.append(reinterpret_cast<const char*>(record.data()),
                    record.size());
    }
  }
  friend bool operator==(const Delivered&, const Delivered&) = default;
};

// Takes batches to the end of the epoch, or for so many steps.
inline Delivered Drain(Loader& loader, std::uint64_t steps = UINT64_MAX) {
  Delivered delivered;
  for (std::uint64_t i = 0; i < steps; ++i) {
    auto batch = loader.Next();
    REQUIRE(batch.status().ToString() == "OK");
    if (!batch->has_value()) break;
    delivered.Add(**batch);
  }
  return delivered;
}

}  // namespace shardine

#endif  // SHARDINE_TESTS_UNIT_LOAD_LOADER_FIXTURE_H_
