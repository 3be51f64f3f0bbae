// Entry points forged with valid checksums: any bytes as an image's points, or
// as places that add up to anything, a few or more than a megabyte of them, and
// rows and headers that say anything of them; the file and the manifest sealed
// again. Whole images, and regions once their points are proved, have the
// pixels that they have without; so has a loader that proves them. Verify finds
// every point that is not the image's own, and reindex rebuilds it.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/checksum.h"
#include "base/simd_level.h"
#include "dataset/dataset_reader.h"
#include "dataset/dataset_summary.h"
#include "dataset/sample_source.h"
#include "image/image_decoder.h"
#include "image/jpeg_decode.h"
#include "image/jpeg_encode.h"
#include "io/memory_storage.h"
#include "pixels/buffer_sink.h"
#include "shardine/loader.h"
#include "shardine/pack.h"
#include "shardine/reindex.h"
#include "shardine/verify.h"
#include "support/entry_point_fixture.h"
#include "support/region_oracle.h"

namespace {

using namespace shardine;

constexpr std::size_t kControlBytes = 16;
constexpr char kTree[] = "tree";

void Require(bool condition) {
  if (!condition) std::abort();
}

template <typename T>
T ValueOf(Result<T> result) {
  Require(result.ok());
  return *std::move(result);
}

// A slope with some noise.
std::string MakePhoto(std::uint32_t width, std::uint32_t height,
                      std::uint8_t channels, Subsampling subsampling) {
  PixelBuffer pixels;
  pixels.Reset({width, height}, channels);
  std::uint32_t state = width;
  for (std::size_t i = 0; i < pixels.bytes().size(); ++i) {
    state = state * 1664525 + 1013904223;
    pixels.data()[i] = static_cast<std::uint8_t>(i / 7 + (state >> 27));
  }
  ByteBuffer jpeg;
  Require(EncodeJpeg(pixels.view(), {.subsampling = subsampling}, jpeg).ok());
  return std::string(AsText(jpeg.view()));
}

// Gray, all zero, each MCU behind a restart marker: more points than others
// have bytes.
std::string MakeWide() {
  constexpr std::uint32_t kWidth = 65500;
  constexpr std::uint32_t kHeight = 144;
  const auto segment = [](std::uint8_t marker, const std::string& payload) {
    std::string bytes = {'\xFF', static_cast<char>(marker), '\0',
                         static_cast<char>(payload.size() + 2)};
    return bytes + payload;
  };
  const auto word = [](std::uint32_t value) {
    return std::string{static_cast<char>(value >> 8),
                       static_cast<char>(value & 255)};
  };
  const std::string one_code = '\1' + std::string(16, '\0');
  std::string jpeg = "\xFF\xD8" + segment(0xDB, '\0' + std::string(64, '\1')) +
                     segment(0xC0, '\x08' + word(kHeight) + word(kWidth) +
                                       std::string("\1\1\x11\0", 4)) +
                     segment(0xC4, '\0' + one_code) +
                     segment(0xC4, '\x10' + one_code) + segment(0xDD, word(1)) +
                     segment(0xDA, std::string("\1\1\0\0\x3F\0", 6));
  const std::uint32_t mcus = (kWidth + 7) / 8 * (kHeight / 8);
  for (std::uint32_t i = 0; i < mcus; ++i) {
    if (i > 0) (jpeg += '\xFF') += static_cast<char>(0xD0 + (i - 1) % 8);
    jpeg += '\x3F';
  }
  return jpeg + "\xFF\xD9";
}

// In a campaign one input of so many takes a slow way: the decoder alone, the
// user of the points, reads most of them. Replayed, all take theirs.
bool is_campaign = false;

bool TakesSlowWay(std::span<const std::uint8_t> input, std::uint64_t of) {
  return !is_campaign || Xxh3_64(std::as_bytes(input)) % of == 0;
}

// A dataset as it was packed, and its samples.
struct World {
  World(const std::string& name, const std::vector<std::string>& images)
      : path(name) {
    for (std::size_t i = 0; i < images.size(); ++i) {
      storage.Put(kTree + ("/a/" + std::to_string(i) + ".jpg"), images[i]);
    }
    PackOptions options;
    options.source.folders = {{"train", kTree}};
    options.output = path;
    options.shards = 1;
    options.threads = 1;
    options.shuffle = false;
    Require(Pack(options, {.storage = &storage}).ok());
    const auto dataset = ValueOf(DatasetReader::Open(storage, path));
    const auto& ref = dataset->shards().front();
    const auto index = ValueOf(dataset->OpenIndex(ref));
    const auto points = ValueOf(dataset->OpenEntryPoints(ref, *index));
    binding = points->binding();
    points_path = points->path();
    Require(ReadPoints(*points, 0, points->size(), stored).ok());
    whole_points = *storage.Get(points_path);
    manifest = dataset->manifest();
    manifest_text = *storage.Get(JoinPath(path, kManifestName));
    for (std::uint64_t i = 0; i < index->size(); ++i) {
      jpegs.push_back(*storage.Get(JoinPath(kTree, ValueOf(index->Key(i)))));
      BufferSink sink(pixels.emplace_back());
      Require(DecodeJpeg(AsBytes(jpegs.back()), {}, {}, sink).ok());
    }
    loaded = Load(EntryPointTrust::kUnused);
  }

  std::vector<std::byte> Load(EntryPointTrust trust) {
    LoaderOptions options;
    options.batch_size = static_cast<std::uint32_t>(stored.size());
    options.transform = RandomResizedCrop{.width = 16, .height = 16};
    options.threads = 1;
    options.entry_points = trust;
    auto source = ValueOf(SampleSource::Open(storage, path, {}));
    const auto loader = ValueOf(Loader::Create(
        std::make_shared<const Dataset>(std::move(source)), options));
    const auto batch = ValueOf(loader->Next());
    Require(batch.has_value());
    return {batch->pixels().begin(), batch->pixels().end()};
  }

  // A .sde in which one sample has those points.
  std::string FileWith(std::size_t sample, const std::string& packed) {
    EntryPointFileWriter writer(storage, points_path);
    std::vector<std::uint32_t> crcs;
    for (std::size_t i = 0; i < stored.size(); ++i) {
      Require(writer.Add(i == sample ? packed : stored[i].packed).ok());
      crcs.push_back(stored[i].payload_crc);
    }
    Require(writer.Publish(binding, crcs).ok());
    return *storage.Get(points_path);
  }

  // Also in the manifest.
  void Put(const std::string& points) {
    storage.Put(points_path, points);
    Manifest sealed = manifest;
    for (ManifestFile& file : sealed.splits[0].shards[0].companions) {
      if (!file.path.ends_with(kEntryPointSuffix)) continue;
      file = ValueOf(DescribeFile(storage, path, file.path));
    }
    Require(WriteManifest(storage, path, sealed).ok());
  }
  void Restore() {
    storage.Put(points_path, whole_points);
    storage.Put(JoinPath(path, kManifestName), manifest_text);
  }

  MemoryStorage storage;
  std::string path;
  IndexBinding binding;
  std::string points_path;
  std::string whole_points;
  std::vector<StoredEntryPoints> stored;
  Manifest manifest;
  std::string manifest_text;
  std::vector<std::string> jpegs;  // by record
  std::vector<PixelBuffer> pixels;
  std::vector<std::byte> loaded;
};

World& Photos() {
  // Several segments in a row, and few rows: runs are to be short.
  static World world("out", {MakePhoto(200, 24, 3, Subsampling::k420),
                             MakePhoto(130, 20, 3, Subsampling::k444),
                             MakePhoto(90, 40, 1, Subsampling::k444),
                             MakePhoto(300, 16, 3, Subsampling::k420)});
  return world;
}

World& WideImages() {
  static World world("wide", {MakeWide()});
  return world;
}

struct Controls {
  explicit Controls(std::span<const std::uint8_t> from) {
    std::copy_n(from.begin(), kControlBytes, bytes);
  }
  bool wide() const { return bytes[0] % 64 == 1; }
  // The portable one seldom: without optimisation it takes most of the time.
  SimdLevel level() const {
    if (bytes[1] % 5 == 0 && bytes[1] > 24) return SimdLevel::kAvx512;
    return static_cast<SimdLevel>(bytes[1] % 5);
  }
  std::size_t sample(const World& world) const {
    return bytes[2] % world.stored.size();
  }
  std::uint32_t kind() const { return bytes[3] % 4; }
  bool loads() const { return bytes[4] % 16 == 5; }
  bool verifies() const { return bytes[4] % 64 == 1; }
  bool decodes() const { return bytes[15] % 4 == 0; }  // the whole image
  Region Box(PixelSize size) const {
    const std::uint32_t x = bytes[5] * size.width / 256;
    const std::uint32_t y = bytes[6] * size.height / 256;
    const std::uint32_t most = std::min(size.width - x, 400u);
    return {x, y, 1 + bytes[7] * (most - 1) / 255,
            1 + bytes[8] * (size.height - y - 1) / 255};
  }
  // The number of rows and header that is changed: none, mostly.
  std::size_t field() const { return bytes[9]; }
  std::uint64_t value() const {
    const std::uint64_t low = bytes[11];
    return low << bytes[10] % 64;
  }
  bool below() const { return bytes[12] % 2 == 1; }

  std::uint8_t bytes[kControlBytes];
};

// Codes of any length, whatever they are to mean, the input's bytes over and
// over until there are `bytes` of them.
std::string Repeat(std::span<const std::uint8_t> from, std::size_t bytes) {
  std::string text;
  while (!from.empty() && text.size() < bytes) {
    text.append(from.begin(), from.end());
  }
  return text;
}

std::string PackedOf(const Controls& controls, const std::string& own,
                     std::span<const std::uint8_t> rest) {
  std::string packed(rest.begin(), rest.end());
  switch (controls.kind()) {
    case 0:
      return packed;
    case 1:  // some bytes changed
      packed = own;
      for (std::size_t i = 0; i + 2 < rest.size() && !packed.empty(); i += 3) {
        const std::size_t at = rest[i] * 256u + rest[i + 1];
        packed[at % packed.size()] ^= static_cast<char>(rest[i + 2]);
      }
      return packed;
    case 2:  // as long as there may be segments
      return Repeat(rest, controls.wide() ? std::size_t{3} << 19 : own.size());
    default:  // cut, or with more behind
      return own.substr(0, own.size() * controls.bytes[13] / 200) + packed;
  }
}

void Spoil(const Controls& controls, std::string& file) {
  constexpr std::size_t kFields[] = {16, 24, 32, 40, 48, 56, 64, 80};
  const std::size_t field = controls.field();
  std::uint64_t value = controls.value();
  if (controls.below()) value = 0 - value;
  const auto data = std::as_writable_bytes(std::span(file));
  if (field < std::size(kFields)) {
    StoreLe(value, data.last(kPageBytes).data() + kFields[field]);
  } else if (field < 16) {
    const auto rows = data.last(2 * kPageBytes);
    const std::size_t row = controls.bytes[14] % 8 * kEntryPointRowBytes;
    const std::size_t at = row + (field - 8) * 4 % kEntryPointRowBytes;
    StoreLe(static_cast<std::uint32_t>(value), rows.data() + at);
  }
  SealEntryPoints(file);
}

bool Decodes(ImageDecoder& decoder, const Region& box,
             const PixelBuffer& whole) {
  PixelBuffer part;
  BufferSink sink(part);
  const auto decoded = decoder.DecodeRegion(box, sink);
  Require(decoded.ok() && decoded->empty());
  return IsPartOf(whole, box, part);
}

// Decodes one image with those points, by itself.
void CheckDecoder(const Controls& controls, const World& world,
                  std::size_t sample, const std::string& packed) {
  const std::string& jpeg = world.jpegs[sample];
  const PixelBuffer& whole = world.pixels[sample];
  const Region box = controls.Box(whole.size());
  ImageDecoder decoder;
  Require(decoder.Open(AsBytes(jpeg), {}, AsBytes(packed)).ok());
  // Only memory is promised of a region whose points are not proved.
  const bool right = Decodes(decoder, box, whole);
  Require(decoder.Open(AsBytes(jpeg), {}, AsBytes(packed)).ok());
  const bool proved = decoder.ProveEntryPoints();
  Require(proved != decoder.refused_entry_points());
  Require(Decodes(decoder, box, whole));
  if (proved) Require(right);
  if (controls.wide() || !controls.decodes()) return;
  Require(decoder.Open(AsBytes(jpeg), {}, AsBytes(packed)).ok());
  const auto [width, height] = whole.size();
  Require(Decodes(decoder, {0, 0, width, height}, whole));
}

void CheckVerify(World& world, bool changed) {
  VerifyOptions options;
  options.target = world.path;
  options.threads = 1;
  const auto verified = ValueOf(Verify(options, {.storage = &world.storage}));
  Require(verified.findings.empty() != changed);
  ReindexOptions reindex;
  reindex.dataset = world.path;
  reindex.threads = 1;
  for (const EntryPoints points : {EntryPoints::kNone, EntryPoints::kAuto}) {
    reindex.entry_points = points;
    Require(Reindex(reindex, {.storage = &world.storage}).ok());
  }
  Require(*world.storage.Get(world.points_path) == world.whole_points);
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  is_campaign = true;
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  if (size < kControlBytes) return 0;
  Controls controls(std::span(data, kControlBytes));
  const std::span input(data, size);
  if (controls.wide() && !TakesSlowWay(input, 64)) controls.bytes[0] = 0;
  LimitSimd(controls.level());
  World& world = controls.wide() ? WideImages() : Photos();
  const std::size_t sample = controls.sample(world);
  const std::string packed = PackedOf(controls, world.stored[sample].packed,
                                      input.subspan(kControlBytes));
  CheckDecoder(controls, world, sample, packed);
  if (!controls.loads() && !controls.verifies()) return 0;
  if (!TakesSlowWay(input, controls.verifies() ? 128 : 32)) return 0;
  std::string file = world.FileWith(sample, packed);
  Spoil(controls, file);
  const bool changed = file != world.whole_points;
  if (controls.verifies()) {
    world.Put(file);
    CheckVerify(world, changed);
  } else {
    world.storage.Put(world.points_path, file);
    Require(world.Load(EntryPointTrust::kProved) == world.loaded);
    static_cast<void>(world.Load(EntryPointTrust::kTrusted));
  }
  world.Restore();
  return 0;
}
