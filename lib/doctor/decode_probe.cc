#include "doctor/decode_probe.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

#include "base/status_macros.h"
#include "image/image_checker.h"
#include "image/image_decoder.h"
#include "image/recoder.h"
#include "load/sample_draws.h"
#include "load/view_maker.h"
#include "shardine/transform.h"

namespace shardine {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::uint32_t kSide = 224;
constexpr std::chrono::milliseconds kLeastTime(300);

// As SlotFiller has it, without a batch.
class CropMaker {
 public:
  Status Make(const ProbedImage& image, std::uint64_t number) {
    SHARDINE_RETURN_IF_ERROR(decoder_.Open(image.bytes.view(),
                                           {.color = ColorMode::kColor},
                                           image.entry_points.view()));
    const SampleDraws draws(/*seed=*/0, number, /*epoch=*/0);
    SHARDINE_RETURN_IF_ERROR(
        view_.Plan(decoder_.size(), draws, {kSide, kSide}).status());
    const RegionTarget target = view_.Target(out_);
    SHARDINE_ASSIGN_OR_RETURN(const ImageDecoder::Warnings warnings,
                              decoder_.Resample(std::span(&target, 1)));
    if (!warnings.empty()) {
      return Status(Code::kCorrupt, warnings.front().text);
    }
    return view_.Finish(draws, out_);
  }

 private:
  const Transform transform_ =
      RandomResizedCrop{.width = kSide, .height = kSide};
  const PixelFormat format_{};
  ViewMaker view_{transform_, format_};
  ImageDecoder decoder_;
  std::vector<std::byte> out_ =
      std::vector<std::byte>(std::size_t{kSide} * kSide * 3);
};

}  // namespace

Result<double> ProbeDecoding(std::span<const ProbedImage> images,
                             std::chrono::milliseconds time,
                             const std::stop_token& stop) {
  CropMaker crops;
  std::size_t good = 0;
  Status first_failure;
  Clock::duration took{0};
  // A few images are cropped several times, so that first uses of memory do not
  // count.
  const auto is_enough = [&](std::size_t tried) {
    return took >= time ||
           (tried >= images.size() && (good == 0 || took >= kLeastTime));
  };
  for (std::size_t i = 0; !is_enough(i); ++i) {
    if (stop.stop_requested()) return Status(Code::kCancelled, "interrupted");
    const auto begin = Clock::now();
    Status made = crops.Make(images[i % images.size()], i);
    if (made.ok()) {
      took += Clock::now() - begin;
      ++good;
    } else if (first_failure.ok()) {
      first_failure = std::move(made);
    }
  }
  if (good == 0) return first_failure;
  return static_cast<double>(good) /
         std::chrono::duration<double>(took).count();
}

void AddEntryPoints(std::span<ProbedImage> images) {
  ImageChecker checker({.find_entry_points = true});
  for (ProbedImage& image : images) {
    if (image.entry_points.size() > 0) continue;
    const std::string points = checker.Check(image.bytes.view()).entry_points;
    image.entry_points.Append(std::as_bytes(std::span(points)));
  }
}

namespace {

// The images at the sizes, by size; those that grew or were kept among them, as
// a variant has them.
struct MadeSizes {
  std::vector<std::vector<ProbedImage>> images;
  std::vector<bool> shrinks;
};

Result<MadeSizes> MakeSizes(std::span<const ProbedImage> images,
                            const std::vector<std::uint32_t>& sides,
                            std::chrono::milliseconds time,
                            const std::stop_token& stop) {
  Recoder recoder(ImageOptions{}, sides);
  std::vector<RecodedImage> outputs(sides.size());
  MadeSizes made{std::vector<std::vector<ProbedImage>>(sides.size()),
                 std::vector<bool>(sides.size())};
  const auto end = Clock::now() + time;
  for (const ProbedImage& image : images) {
    if (stop.stop_requested()) return Status(Code::kCancelled, "interrupted");
    if (!made.images[0].empty() && Clock::now() > end) break;
    const RecodeResult result = recoder.Recode(image.bytes.view(), outputs, {},
                                               image.entry_points.view());
    if (!result.made) continue;
    for (std::size_t i = 0; i < sides.size(); ++i) {
      if (!outputs[i].upscaled && !outputs[i].kept) made.shrinks[i] = true;
      made.images[i].push_back({std::move(outputs[i].bytes), {}});
    }
  }
  return made;
}

}  // namespace

Result<std::vector<ImageRates>> ProbeSizes(
    std::span<const ProbedImage> images,
    const std::vector<std::uint32_t>& sides, std::chrono::milliseconds time,
    const std::stop_token& stop) {
  std::vector<ImageRates> rates;
  if (sides.empty()) return rates;
  SHARDINE_ASSIGN_OR_RETURN(MadeSizes made,
                            MakeSizes(images, sides, time, stop));
  for (std::size_t i = 0; i < sides.size(); ++i) {
    if (!made.shrinks[i]) continue;
    AddEntryPoints(made.images[i]);
    std::uint64_t bytes = 0;
    for (const ProbedImage& image : made.images[i]) bytes += image.bytes.size();
    ImageRates rate{.variant = "sz/" + std::to_string(sides[i]),
                    .estimated = true,
                    .bytes = static_cast<double>(bytes) /
                             static_cast<double>(made.images[i].size())};
    SHARDINE_ASSIGN_OR_RETURN(rate.decoded,
                              ProbeDecoding(made.images[i], time, stop));
    rates.push_back(std::move(rate));
  }
  return rates;
}

}  // namespace shardine
