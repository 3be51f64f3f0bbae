// The pixels of CenterCrop in a batch, its sides as given or the batch's: made
// of no more than the middle, and yet those of the whole image resampled and
// then cut.

#include <algorithm>
#include <cmath>
#include <cstring>

#include "image/image_decoder.h"
#include "pixels/buffer_sink.h"
#include "pixels/resampler.h"
#include "unit/load/loader_fixture.h"

namespace shardine::center_pixels_test {
namespace {

PixelBuffer Whole(const Sample& sample, PixelSize resized, Filter filter) {
  ImageDecoder decoder;
  REQUIRE(decoder.Open(sample.image(), {.color = ColorMode::kColor}).ok());
  PixelBuffer image;
  BufferSink sink(image);
  REQUIRE(decoder.Decode(sink).ok());
  PixelBuffer out;
  out.Reset(resized, 3);
  Resampler resampler;
  resampler.Begin({.in = image.size(), .out = resized, .filter = filter},
                  out.data(), out.stride());
  resampler.Push(image.data(), image.stride(), image.size().height);
  return out;
}

// The transform by its definition: short side to `resize`, the other one
// rounded down, the middle, black beside it.
std::string Expected(const Sample& sample, PixelSize stored,
                     std::uint32_t resize, PixelSize crop, Filter filter) {
  const std::uint32_t side = std::min(stored.width, stored.height);
  const PixelSize resized{stored.width * resize / side,
                          stored.height * resize / side};
  PixelBuffer whole = Whole(sample, resized, filter);
  const auto first = [](std::uint32_t length, std::uint32_t kept) {
    if (kept > length) return -static_cast<std::int64_t>((kept - length) / 2);
    return static_cast<std::int64_t>(std::nearbyint((length - kept) / 2.0));
  };
  const std::int64_t x0 = first(resized.width, crop.width);
  const std::int64_t y0 = first(resized.height, crop.height);
  std::string pixels;
  for (std::int64_t y = y0; y < y0 + crop.height; ++y) {
    for (std::int64_t x = x0; x < x0 + crop.width; ++x) {
      if (x < 0 || y < 0 || x >= resized.width || y >= resized.height) {
        pixels.append(3, '\0');
        continue;
      }
      const auto* pixel = whole.row(static_cast<std::uint32_t>(y)) + 3 * x;
      pixels.append(reinterpret_cast<const char*>(pixel), 3);
    }
  }
  return pixels;
}

void CheckEpoch(const LoaderFixture& fixture, const LoaderOptions& options,
                std::uint32_t resize) {
  const auto dataset = fixture.Open();
  auto loader = fixture.Load(options);
  std::uint64_t samples = 0;
  while (true) {
    auto next = loader->Next();
    REQUIRE(next.status().ToString() == "OK");
    if (!next->has_value()) break;
    const Batch& batch = **next;
    const BatchShape shape = batch.shape();
    const std::size_t slot = std::size_t{shape.height} * shape.width * 3;
    for (std::uint32_t i = 0; i < batch.size(); ++i, ++samples) {
      const auto sample = dataset->Read(batch.positions()[i]);
      REQUIRE(sample.ok());
      const CropBox box = batch.boxes()[i];
      CHECK((box.x == 0 && box.y == 0 && !box.flip));
      INFO("sample " << batch.ids()[i] << " to " << shape.width << "x"
                     << shape.height << " of " << resize);
      REQUIRE(AsText(batch.pixels().subspan(slot * i, slot)) ==
              Expected(*sample, {box.width, box.height}, resize,
                       {shape.width, shape.height}, options.pixels.filter));
    }
  }
  CHECK(samples == dataset->size());
}

LoaderOptions Options(Transform transform, Filter filter) {
  LoaderOptions options;
  options.batch_size = 5;
  options.last_batch = LastBatch::kShort;
  options.transform = transform;
  options.pixels.filter = filter;
  options.threads = 2;
  return options;
}

TEST_CASE("CenterCrop is the middle of the whole image resampled") {
  const LoaderFixture fixture(26);
  for (const Filter filter :
       {Filter::kBilinear, Filter::kLanczos, Filter::kNearest, Filter::kBox}) {
    for (const CenterCrop& crop :
         {CenterCrop{24, 24, 28}, CenterCrop{16, 40, 57},
          CenterCrop{70, 20, 33}, CenterCrop{90, 95, 21},
          CenterCrop{1, 1, 100}}) {
      CheckEpoch(fixture, Options(crop, filter), crop.resize);
    }
  }
}

TEST_CASE("A crop in the ratio of its batch is the middle of the whole image") {
  const LoaderFixture fixture(26);
  for (const std::uint32_t size : {24u, 50u, 100u}) {
    LoaderOptions options = Options(RectangularCrop(size), Filter::kBilinear);
    options.order.order = SampleOrder::kRatio;
    CheckEpoch(fixture, options, static_cast<std::uint32_t>(size * 1.14));
  }
}

TEST_CASE("A crop that is black beside the image is so in floats too") {
  const LoaderFixture fixture(9);
  LoaderOptions options = Options(CenterCrop{90, 95, 21}, Filter::kBilinear);
  options.order.order = SampleOrder::kSequential;
  const std::string bytes = Drain(*fixture.Load(options)).pixels;
  options.pixels.type = PixelType::kFloat32;
  const std::string floats = Drain(*fixture.Load(options)).pixels;
  REQUIRE(floats.size() == 4 * bytes.size());
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    float value = 0;
    std::memcpy(&value, floats.data() + 4 * i, 4);
    if (value != static_cast<float>(static_cast<unsigned char>(bytes[i]))) {
      FAIL("value " << i);
    }
  }
}

}  // namespace
}  // namespace shardine::center_pixels_test
