#include "load/view_maker.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <variant>

#include "base/status_macros.h"
#include "load/operation_draws.h"
#include "load/record_draws.h"
#include "pixels/pixel_moves.h"

namespace shardine {
namespace {

constexpr std::uint32_t kChannels = 3;
constexpr std::uint8_t kGray = 128;

std::uint8_t* Bytes(std::span<std::byte> out) {
  return reinterpret_cast<std::uint8_t*>(out.data());
}

}  // namespace

ViewMaker::ViewMaker(const Transform& transform, const PixelFormat& format,
                     bool in_buckets)
    : format_(format),
      normalizer_(format, NormalizeOf(transform)),
      planner_(transform.geometry, in_buckets),
      pipeline_(transform.operations),
      record_normalize_(RecordNormalizeOf(transform)),
      operations_(transform.operations.size()) {
  const auto* const crop = std::get_if<ImageRecordCrop>(&transform.geometry);
  if (crop != nullptr) record_cropper_.emplace(*crop);
}

Result<CropBox> ViewMaker::Plan(PixelSize image, const SampleDraws& draws,
                                PixelSize size) {
  CropPlan& plan = drawn_.crop;
  if (record_cropper_) {
    plan = CropPlan();
    plan.resized = size;
    plan.size = size;
    SHARDINE_ASSIGN_OR_RETURN(plan.box, record_cropper_->Plan(image, draws));
  } else {
    SHARDINE_ASSIGN_OR_RETURN(plan, planner_(image, draws, size));
  }
  drawn_.image = image;
  pipeline_.Draw(plan.size, draws, drawn_.steps);
  return CropBox{plan.box.x,
                 plan.box.y,
                 plan.box.width,
                 plan.box.height,
                 plan.flip != drawn_.Flips(DrawnStep::Kind::kFlipAcross),
                 drawn_.Flips(DrawnStep::Kind::kFlipDown)};
}

RegionTarget ViewMaker::Target(std::span<std::byte> out) {
  const CropPlan& plan = drawn_.crop;
  // Bytes in the batch's own layout need no second image: they are resampled
  // where they are to lie.
  std::uint8_t* pixels = Bytes(out);
  if (!KeepsPixels(format_)) {
    cut_.Reset(plan.size, kChannels);
    pixels = cut_.data();
  }
  if (record_cropper_) return record_cropper_->Target();
  if (plan.has_border()) {
    Paint({pixels, plan.size}, {0, 0, plan.size.width, plan.size.height},
          plan.fill);
  }
  const std::size_t stride = std::size_t{plan.size.width} * kChannels;
  return {.region = plan.box,
          .target = {.size = plan.resized,
                     .filter = format_.filter,
                     .order = format_.order,
                     .flip = plan.flip,
                     .part = plan.kept()},
          .out = pixels + stride * plan.top() +
                 std::size_t{plan.left()} * kChannels,
          .stride = stride};
}

Status ViewMaker::Finish(const SampleDraws& draws, std::span<std::byte> out) {
  const bool kept = KeepsPixels(format_);
  const RgbPixels pixels{kept ? Bytes(out) : cut_.data(), drawn_.crop.size};
  if (record_cropper_) record_cropper_->Make(pixels);
  SHARDINE_RETURN_IF_ERROR(pipeline_(pixels, draws, drawn_.steps));
  if (kept) return {};
  Write(ScaleFor(draws), out);
  return {};
}

RecordScale ViewMaker::ScaleFor(const SampleDraws& draws) const {
  if (record_normalize_ == nullptr) return {};
  RecordScale scale =
      DrawRecordScale(*record_normalize_, {draws, operations_ - 1});
  scale.flipped = drawn_.Flips(DrawnStep::Kind::kFlipAcross);
  scale.upside_down = drawn_.Flips(DrawnStep::Kind::kFlipDown);
  return scale;
}

void ViewMaker::Write(const RecordScale& scale,
                      std::span<std::byte> out) const {
  if (record_normalize_ == nullptr) {
    normalizer_(cut_.view(), out.data());
  } else {
    RecordNormalizer(format_, *record_normalize_)(cut_.view(), scale,
                                                  out.data());
  }
}

RecordScale ViewMaker::NoDraws() const {
  return {.contrast =
              record_normalize_ == nullptr ? 1 : record_normalize_->scale};
}

void ViewMaker::SetGray(PixelSize size, std::span<std::byte> out) {
  cut_.Reset(size, kChannels);
  std::memset(cut_.data(), kGray, cut_.bytes().size());
  Write(NoDraws(), out);
}

void ViewMaker::SetNoise(PixelSize size, std::span<std::byte> out) {
  if (noise_.size() != out.size()) {
    cut_.Reset(size, kChannels);
    // A congruential generator with the constants of Numerical Recipes; its
    // high byte is the noisy one.
    std::uint32_t state = 1;
    std::generate_n(cut_.data(), cut_.bytes().size(), [&] {
      state = state * 1'664'525 + 1'013'904'223;
      return static_cast<std::uint8_t>(state >> 24);
    });
    noise_.resize(out.size());
    Write(NoDraws(), noise_);
  }
  std::ranges::copy(noise_, out.begin());
}

}  // namespace shardine
