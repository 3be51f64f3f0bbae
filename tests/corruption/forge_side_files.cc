// Writes datasets whose side files lie, each in a folder of its own below the
// one that is named: for programs that read real files.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "shard/extent.h"
#include "support/read_every_way.h"
#include "support/seal_sidecar.h"

namespace shardine {
namespace {

// Writes the paths of Files, so that shards that were indexed in place lie
// beside.
void Write(const std::string& folder, const Files& files) {
  for (const auto& [path, contents] : files) {
    const std::filesystem::path target = std::filesystem::path(folder) / path;
    std::filesystem::create_directories(target.parent_path());
    std::ofstream(target, std::ios::binary) << contents;
  }
}

class Forger {
 public:
  explicit Forger(std::string folder) : folder_(std::move(folder)) {}

  // Every `step`-th number of the sidecar set to a value.
  void SidecarNumbers(const char* name, const SideFileWorld& world,
                      std::uint64_t value, std::size_t step) {
    const auto numbers = NumbersOfSidecar(world.files.at(world.sidecar));
    for (std::size_t i = 0; i < numbers.size(); i += step) {
      SideFileWorld forged = world;
      SetNumber(numbers[i], value, forged.files[world.sidecar]);
      Put(std::string(name) + "-" + std::to_string(i), std::move(forged));
    }
  }

  void Overflow(const char* name, const SideFileWorld& world,
                const std::string& record) {
    SideFileWorld forged = world;
    GiveOverflow(0, record, forged.files[world.sidecar]);
    Put(name, std::move(forged));
  }

  void ManifestNumbers(const SideFileWorld& world, std::uint64_t value) {
    const auto good = ManifestIn(world.files, "out");
    int i = 0;
    for (const auto& number : NumbersOfManifest(good)) {
      auto forged = good;
      forged[number] = value;
      Files files = world.files;
      PutManifest(forged, Reseal::kSums, "out", files);
      Write(folder_ + "/manifest-" + std::to_string(i++), files);
    }
  }

 private:
  void Put(const std::string& name, SideFileWorld world) {
    SealSidecar(world.files[world.sidecar]);
    auto manifest = ManifestIn(world.files, "out");
    RefreshFiles(world.files, "out", manifest);
    PutManifest(manifest, Reseal::kSums, "out", world.files);
    Write(folder_ + "/" + name, world.files);
  }

  const std::string folder_;
};

void AppendText(std::string_view text, std::string& to) {
  AppendLe(static_cast<std::uint32_t>(text.size()), to);
  to += text;
}

// The overflow record of record 0 with one field and these further extents.
std::string OneField(std::string_view dtype,
                     const std::vector<std::uint64_t>& shape,
                     const std::vector<Extent>& extents) {
  std::string record;
  AppendLe(std::uint64_t{0}, record);
  AppendLe(std::uint32_t{0}, record);
  AppendLe(std::uint32_t{1}, record);
  AppendText("image", record);
  AppendText(dtype, record);
  AppendLe(static_cast<std::uint32_t>(shape.size()), record);
  for (const std::uint64_t side : shape) AppendLe(side, record);
  AppendLe(static_cast<std::uint32_t>(extents.size()), record);
  for (const Extent& extent : extents) {
    AppendLe(extent.offset, record);
    AppendLe(extent.length, record);
  }
  return record;
}

void ForgeAll(const std::string& folder) {
  Forger forger(folder);
  const SideFileWorld photos = MakePhotos();
  const SideFileWorld fields = MakeFields();
  const SideFileWorld arrays = MakeArrays();
  forger.Overflow("shape", arrays, OneField("|u1", {1024, 1024, 64}, {}));
  forger.Overflow("longer", arrays, OneField("|u1", {3, 4, 5}, {{0, 100}}));
  forger.Overflow("wraps", arrays, OneField("<f8", {1ULL << 62, 8}, {}));
  forger.Overflow("type", arrays, OneField("|O8", {1}, {}));
  std::vector<Extent> gaps;
  for (int i = 0; i < 100'000; ++i) {
    gaps.push_back({0, 0});
    gaps.push_back({2048, 0});
  }
  forger.Overflow("gaps", photos, OneField("|S", {}, gaps));
  forger.SidecarNumbers("photos-huge", photos, ~std::uint64_t{0}, 5);
  forger.SidecarNumbers("fields-huge", fields, std::uint64_t{1} << 63, 11);
  forger.SidecarNumbers("arrays-zero", arrays, 0, 7);
  forger.ManifestNumbers(photos, std::uint64_t{1} << 61);
  Write(folder + "/sound-photos", photos.files);
  Write(folder + "/sound-fields", fields.files);
  Write(folder + "/sound-arrays", arrays.files);
}

}  // namespace
}  // namespace shardine

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: %s FOLDER\n", argv[0]);
    return 2;
  }
  shardine::ForgeAll(argv[1]);
  return 0;
}
