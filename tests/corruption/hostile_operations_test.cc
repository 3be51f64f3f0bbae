// Each transform, view, mix and type of pixels over hostile images and damaged
// photos: a loader makes the same of the bytes as of the same image decoded
// whole, an array without anything to decode; or it is an error of that sample.
// SHARDINE_HOSTILE: folders of files, with ":" between them.

#include <array>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "image/image_decode.h"
#include "load/batch_mixer.h"
#include "load/pixel_pipeline.h"
#include "load/slot_filler.h"
#include "support/every_transform.h"
#include "support/jpeg_maker.h"
#include "support/png_maker.h"
#include "support/sanitized.h"

namespace shardine::hostile_operations_test {
namespace {

namespace fs = std::filesystem;

// Draws of several epochs are tried on images of at most so many pixels.
constexpr std::uint64_t kSmall = 1 << 18;
constexpr std::uint64_t kEpochs = kSanitized ? 1 : 3;
// A run tries each kEvery-th operation of an image, and others of the next.
constexpr std::size_t kEvery = kSanitized ? 5 : 1;
// The same for images of more pixels, which take long, unless SHARDINE_SWEEP is
// "whole".
constexpr std::size_t kEveryOfLarge = 5;

bool IsWholeSweep() {
  const char* const sweep = std::getenv("SHARDINE_SWEEP");
  return sweep != nullptr && std::string_view(sweep) == "whole";
}

struct NamedImage {
  std::string name;
  std::string bytes;
};

// One pixel wide or high, and of sides as unequal as can be.
std::vector<NamedImage> ThinImages() {
  std::vector<NamedImage> images;
  for (const auto& [width, height] :
       {std::pair{1u, 1u}, std::pair{1u, 300u}, std::pair{300u, 1u},
        std::pair{2u, 5000u}, std::pair{5000u, 2u}, std::pair{7u, 7u}}) {
    const std::string size =
        std::to_string(width) + " x " + std::to_string(height);
    for (const JpegColor color :
         {JpegColor::kYcc, JpegColor::kGray, JpegColor::kCmyk}) {
      images.push_back(
          {"JPEG of " + size,
           MakeJpeg({.width = width, .height = height, .color = color})});
    }
    for (const int color_type : {0, 2, 6}) {
      images.push_back(
          {"16-bit PNG of " + size,
           MakePng({.width = width,
                    .height = height,
                    .bits = 16,
                    .color_type = static_cast<std::uint8_t>(color_type)})});
    }
  }
  return images;
}

std::vector<NamedImage> Images() {
  std::vector<NamedImage> images = ThinImages();
  const char* folders = std::getenv("SHARDINE_HOSTILE");
  REQUIRE(folders != nullptr);
  std::istringstream listed(folders);
  for (std::string folder; std::getline(listed, folder, ':');) {
    std::set<fs::path> paths;
    for (const auto& entry : fs::directory_iterator(folder)) {
      paths.insert(entry.path());
    }
    REQUIRE(paths.size() >= 50);
    for (const fs::path& path : paths) {
      std::ifstream file(path, std::ios::binary);
      images.push_back({path.filename().string(),
                        {std::istreambuf_iterator<char>(file), {}}});
    }
  }
  return images;
}

// The options of a loader.
struct Wanted {
  std::vector<Transform> views;
  PixelFormat pixels = {};
  MixOptions mix = {};
  bool gray = false;
};

Transform After(const Geometry& geometry,
                std::vector<PixelOperation> operations) {
  return {geometry, std::move(operations)};
}

// Each geometry by itself, decoding no more than it needs.
std::vector<Wanted> Geometries() {
  std::vector<Wanted> all;
  for (const Geometry& geometry : EveryGeometry()) {
    all.push_back({{Transform(geometry, {})}});
  }
  return all;
}

// Each operation of one read, on images of a loader's usual kind and on thin
// ones; turned upright; as floats; mixed.
std::vector<Wanted> Operations() {
  const RandomResizedCrop crop{.width = 24, .height = 17, .flip = 0};
  const RandomResizedCrop thin{.width = 1, .height = 19, .flip = 0};
  Wanted bytes;
  for (const PixelOperation& operation : EveryOperation()) {
    bytes.views.push_back(After(crop, {operation}));
    bytes.views.push_back(After(thin, {operation}));
  }
  std::vector<Wanted> all = {bytes};
  all.push_back({{After(Resize{20, 30}, EveryOperation())}});
  all.back().pixels.apply_exif = true;
  for (const PixelType type : {PixelType::kFloat32, PixelType::kFloat16}) {
    for (const PixelOperation& last : EveryNormalization(24, 17)) {
      if (type == PixelType::kFloat16 &&
          std::holds_alternative<ImageRecordNormalize>(last)) {
        continue;
      }
      all.push_back({{After(crop, {GaussianBlur{3, 3}, last})}});
      all.back().pixels.type = type;
      all.back().pixels.layout = PixelLayout::kNchw;
      all.back().mix = {{MixUp{0.4, 0.5}, CutMix{1, 0.5}}, MixPer::kSample};
    }
  }
  all.push_back({{After(crop, EveryOperation())}});
  all.back().gray = true;
  all.push_back({{Transform(crop)}});
  all.back().mix = {{MixUp{0.4, 0.5}, CutMix{1, 0.5}}, MixPer::kSample};
  return all;
}

// The images of two samples of an epoch, and the status of each.
struct Made {
  std::vector<std::string> views;
  std::vector<Status> status;
};

class Maker {
 public:
  explicit Maker(const Wanted& wanted) : filler_(OptionsOf(wanted)) {
    auto layout = std::make_shared<BatchLayout>();
    layout->has_pixels = true;
    layout->type = options_.pixels.type;
    layout->pixels = options_.pixels.layout;
    layout->mix = options_.mix;
    for (const Transform& view : options_.more_views) {
      layout->more_views.push_back(TargetSize(view.geometry));
    }
    layout_ = layout;
  }

  // A sample whose `gray` is true gets a gray slot, as it failed before.
  Made Make(const std::array<SampleRead, 2>& samples, std::uint64_t epoch,
            const std::array<bool, 2>& gray) {
    const PixelSize size = TargetSize(options_.transform->geometry);
    batch_.Reset({static_cast<std::uint32_t>(samples.size()), size.height,
                  size.width, 3},
                 layout_);
    Made made;
    for (std::uint32_t i = 0; i < samples.size(); ++i) {
      const Slot slot{.number = i, .position = i, .epoch = epoch};
      REQUIRE(filler_.SetFacts(slot, samples[i].entry, batch_).ok());
      made.status.push_back(gray[i]
                                ? Status(Code::kCorrupt, "")
                                : filler_.SetContent(slot, samples[i], batch_));
      if (!made.status.back().ok()) filler_.SetGray(slot, batch_);
    }
    batch_.Complete();
    BatchMixer mixer;
    if (mixer.Begin(batch_) > 0) REQUIRE(mixer.Mix());
    for (ViewColumn& view : batch_.views) {
      made.views.emplace_back(AsText(view.pixels.bytes()));
    }
    return made;
  }

 private:
  const LoaderOptions& OptionsOf(const Wanted& wanted) {
    options_.seed = 5;
    options_.transform = wanted.views.at(0);
    options_.more_views.assign(wanted.views.begin() + 1, wanted.views.end());
    options_.pixels = wanted.pixels;
    options_.mix = wanted.mix;
    options_.gray = wanted.gray;
    return options_;
  }

  LoaderOptions options_;
  SlotFiller filler_;
  std::shared_ptr<const BatchLayout> layout_;
  BatchBuffers batch_{std::make_shared<BlockPool>()};
};

SampleRead Encoded(std::uint64_t id, const std::string& bytes) {
  SampleRead read;
  read.entry.id = id;
  read.entry.fields = {
      {std::string(kImageField), "|S", {}, {{0, bytes.size()}}}};
  read.payload = AsBytes(bytes);
  return read;
}

SampleRead Array(std::uint64_t id, const PixelBuffer& pixels) {
  SampleRead read;
  read.entry.id = id;
  const auto [width, height] = pixels.size();
  read.entry.fields = {{std::string(kImageField),
                        "|u1",
                        {height, width, pixels.channels()},
                        {{0, pixels.bytes().size()}}}};
  read.payload = pixels.bytes();
  return read;
}

// Numbers of outcomes.
struct Counts {
  std::size_t equal = 0;
  std::size_t refused = 0;  // by the geometry, both ways alike
  std::size_t errors = 0;
  std::size_t unknown = 0;  // pixels of a part; the whole is undecodable
};

// An image decoded whole, and how that ended.
struct Whole {
  explicit Whole(const std::string& bytes, const Wanted& wanted = {})
      : outcome(DecodeImage(AsBytes(bytes), OptionsOf(wanted), pixels)) {}

  static ImageDecodeOptions OptionsOf(const Wanted& wanted) {
    const ColorRule rule =
        wanted.gray ? ColorRule::kOpenCv : ColorRule::kPillow;
    return {.color = wanted.gray ? ColorMode::kGray : ColorMode::kColor,
            .apply_exif = wanted.pixels.apply_exif,
            .samples = rule,
            .gray = rule};
  }

  PixelBuffer pixels;
  Result<std::vector<DecodeWarning>> outcome;

  std::uint64_t epochs() const {
    const auto [width, height] = pixels.size();
    const bool small = std::uint64_t{width} * height <= kSmall;
    return outcome.ok() && small ? kEpochs : 1;
  }

  // Every how manieth thing that is wanted is tried.
  std::size_t every() const {
    const auto [width, height] = pixels.size();
    const bool large = std::uint64_t{width} * height > kSmall;
    return large && !IsWholeSweep() ? kEveryOfLarge : kEvery;
  }
};

bool IsOfSample(const Status& status) {
  return status.code() == Code::kCorrupt || status.code() == Code::kUnsupported;
}

// Compares a sound photo and the image, as bytes and as arrays.
void Compare(const std::string& sound, const std::string& bytes, Maker& maker,
             const Whole& photo, const Whole& whole, Counts& counts) {
  for (std::uint64_t epoch = 0; epoch < whole.epochs(); ++epoch) {
    const Made made = maker.Make({Encoded(1, sound), Encoded(2, bytes)}, epoch,
                                 {false, false});
    REQUIRE(made.status[0].ToString() == "OK");
    const Status& status = made.status[1];
    if (!status.ok()) {
      REQUIRE(IsOfSample(status));
      REQUIRE_FALSE(status.message().empty());
    }
    if (!whole.outcome.ok()) {
      ++(status.ok() ? counts.unknown : counts.errors);
      continue;
    }
    // Damage of the part that was decoded.
    const bool gray = !status.ok() && !whole.outcome->empty();
    const Made expected = maker.Make(
        {Array(1, photo.pixels), Array(2, whole.pixels)}, epoch, {false, gray});
    if (gray) {
      ++counts.errors;
    } else {
      REQUIRE(status.ToString() == expected.status[1].ToString());
      ++(status.ok() ? counts.equal : counts.refused);
    }
    REQUIRE((made.views == expected.views));
  }
}

Counts CompareAll(const std::vector<Wanted>& all) {
  const std::string sound = MakeJpeg({.width = 61, .height = 47});
  const Whole photo(sound);
  const Whole gray_photo(sound, {.views = {}, .gray = true});
  REQUIRE(photo.outcome.ok());
  std::vector<std::unique_ptr<Maker>> makers;
  for (const Wanted& wanted : all) {
    for (const Transform& view : wanted.views) {
      REQUIRE(CheckOperations(view).ToString() == "OK");
    }
    makers.push_back(std::make_unique<Maker>(wanted));
  }
  Counts counts;
  std::size_t number = 0;
  for (const NamedImage& image : Images()) {
    INFO(image.name);
    ++number;
    const Whole as_stored(image.bytes);
    const std::size_t every = as_stored.every();
    for (std::size_t i = 0; i < all.size(); ++i) {
      if ((number + i) % every != 0) continue;
      INFO("number " << i);
      const Wanted& wanted = all[i];
      if (!wanted.pixels.apply_exif && !wanted.gray) {
        Compare(sound, image.bytes, *makers[i], photo, as_stored, counts);
        continue;
      }
      const Whole whole(image.bytes, wanted);
      Compare(sound, image.bytes, *makers[i], wanted.gray ? gray_photo : photo,
              whole, counts);
    }
  }
  return counts;
}

TEST_CASE("every kind of geometry and operation is among those that are tried",
          "[hostile]") {
  std::set<std::size_t> geometries;
  for (const Geometry& geometry : EveryGeometry()) {
    geometries.insert(geometry.index());
  }
  CHECK(geometries.size() == std::variant_size_v<Geometry>);
  std::set<std::size_t> operations;
  for (const PixelOperation& operation : EveryOperation()) {
    operations.insert(operation.index());
  }
  for (const PixelOperation& operation : EveryNormalization(2, 2)) {
    operations.insert(operation.index());
  }
  CHECK(operations.size() == std::variant_size_v<PixelOperation>);
}

TEST_CASE("every geometry makes of a hostile image what it makes of its pixels",
          "[hostile]") {
  const Counts counts = CompareAll(Geometries());
  WARN(counts.equal << " equal, " << counts.refused << " refused, "
                    << counts.errors << " errors, " << counts.unknown
                    << " parts of what is no image");
  CHECK(counts.equal > 1000 / kEvery);
  CHECK(counts.refused > 50 / kEvery);
  CHECK(counts.errors > 1000 / kEvery);
}

TEST_CASE(
    "every operation and mix makes of a hostile image what it makes of "
    "its pixels",
    "[hostile]") {
  const Counts counts = CompareAll(Operations());
  WARN(counts.equal << " equal, " << counts.refused << " refused, "
                    << counts.errors << " errors, " << counts.unknown
                    << " parts of what is no image");
  CHECK(counts.equal > 500 / kEvery);
  CHECK(counts.errors > 500 / kEvery);
}

}  // namespace
}  // namespace shardine::hostile_operations_test
