#include "load/record_plan.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include "base/status_macros.h"
#include "load/portable_angles.h"
#include "load/record_draws.h"

namespace shardine {
namespace {

constexpr DrawnRange kOne = {1, 1};
constexpr std::uint64_t kMaxPixels = std::uint64_t{1} << 28;
constexpr std::uint32_t kAreaTries = 10;

// The numbers of draws and their words, as the header has them.
constexpr std::uint32_t kAffineDraw = 0;
constexpr std::uint32_t kSquareDraw = 1;
constexpr std::uint32_t kFilterDraw = 2;
constexpr std::uint32_t kPlaceDraw = 3;
constexpr std::uint32_t kTryDraw = 8;
constexpr std::uint32_t kTryPlaceDraw = kTryDraw + kAreaTries;
enum FilterWord : std::uint8_t { kOfResize, kOfWarp, kOfCrop };

std::string Words(PixelSize size) {
  return std::to_string(size.width) + "x" + std::to_string(size.height);
}

// 64 bits, since these are sizes that an image may become.
struct WantedSize {
  std::uint64_t width;
  std::uint64_t height;
};

Result<PixelSize> Possible(WantedSize wanted, PixelSize image,
                           std::uint64_t max_side = kMaxPixels) {
  const auto [width, height] = wanted;
  if (width > 0 && height > 0 && width <= max_side && height <= max_side &&
      width * height <= kMaxPixels) {
    return PixelSize{static_cast<std::uint32_t>(width),
                     static_cast<std::uint32_t>(height)};
  }
  return Status(Code::kUnsupported, "ImageRecordCrop would make an image of " +
                                        Words(image) + " pixels one of " +
                                        std::to_string(width) + "x" +
                                        std::to_string(height));
}

class Planner {
 public:
  Planner(const ImageRecordCrop& crop, PixelSize image,
          const SampleDraws& draws)
      : crop_(crop), image_(image), draws_(draws), size_(image) {}

  Result<RecordPlan> operator()() && {
    SHARDINE_RETURN_IF_ERROR(ResizeShortSide());
    SHARDINE_RETURN_IF_ERROR(Warp());
    SHARDINE_ASSIGN_OR_RETURN(
        size_, Possible({size_.width + std::uint64_t{2} * crop_.pad,
                         size_.height + std::uint64_t{2} * crop_.pad},
                        image_));
    SHARDINE_RETURN_IF_ERROR(Cut());
    SetDecoded();
    return std::move(plan_);
  }

 private:
  PixelSize target() const { return {crop_.width, crop_.height}; }

  OpenCvFilter FilterFor(PixelSize from, PixelSize to, FilterWord word) const {
    switch (crop_.interpolation) {
      case OpenCvInterpolation::kAuto:
        if (to.width > from.width && to.height > from.height) {
          return OpenCvFilter::kCubic;
        }
        return to.width < from.width && to.height < from.height
                   ? OpenCvFilter::kArea
                   : OpenCvFilter::kLinear;
      case OpenCvInterpolation::kRandom:
        return static_cast<OpenCvFilter>(draws_(kFilterDraw).Below(word, 5));
      default:
        // Both begin with the same five.
        return static_cast<OpenCvFilter>(crop_.interpolation);
    }
  }

  Status ResizeShortSide() {
    if (crop_.resize == 0) return {};
    const std::uint64_t side = crop_.resize;
    const auto [width, height] = image_;
    const WantedSize wanted = height > width
                                  ? WantedSize{side, side * height / width}
                                  : WantedSize{side * width / height, side};
    SHARDINE_ASSIGN_OR_RETURN(size_, Possible(wanted, image_));
    plan_.first = {size_, FilterFor(image_, size_, kOfResize)};
    return {};
  }

  bool has_warp() const {
    return crop_.shear != DrawnRange{0, 0} || crop_.angle != WholeRange{0, 0} ||
           !crop_.angles.empty() || crop_.scale != kOne ||
           (!crop_.resized_crop && crop_.aspect != kOne) ||
           crop_.side != ImageRecordCrop().side;
  }

  std::int32_t Angle(const Draw& draw) const {
    if (crop_.angles.empty()) {
      const auto [low, high] = crop_.angle;
      return low + static_cast<std::int32_t>(draw.Below(
                       1, static_cast<std::uint32_t>(high - low + 1)));
    }
    const auto count = static_cast<std::uint32_t>(crop_.angles.size());
    return crop_.angles[draw.Below(1, count)];
  }

  Status Warp() {
    if (!has_warp()) return {};
    const Draw draw = draws_(kAffineDraw);
    const float shear = FloatBetween(crop_.shear, DrawFloat(draw, 0));
    const double angle = Angle(draw) / 180.0 * std::numbers::pi;
    const auto a = static_cast<float>(PortableCos(angle));
    const auto b = static_cast<float>(PortableSin(angle));
    const float scale = FloatBetween(crop_.scale, DrawFloat(draw, 2));
    const float ratio =
        crop_.resized_crop ? 1 : FloatBetween(crop_.aspect, DrawFloat(draw, 3));
    const float hs = 2 * scale / (1 + ratio);
    const float ws = ratio * hs;
    const auto width = static_cast<float>(size_.width);
    const auto height = static_cast<float>(size_.height);
    const float new_width = WithinSide(scale * width);
    const float new_height = WithinSide(scale * height);
    OpenCvMatrix m = {hs * a - shear * b * ws,
                      hs * b + shear * a * ws,
                      0,
                      -b * ws,
                      a * ws,
                      0};
    m[2] = (new_width - (m[0] * width + m[1] * height)) / 2;
    m[5] = (new_height - (m[3] * width + m[4] * height)) / 2;
    SHARDINE_RETURN_IF_ERROR(
        Possible({size_.width, size_.height}, image_, kMaxWarpSide).status());
    SHARDINE_ASSIGN_OR_RETURN(const PixelSize warped,
                              Possible({static_cast<std::uint64_t>(new_width),
                                        static_cast<std::uint64_t>(new_height)},
                                       image_, kMaxWarpSide));
    plan_.warp = {m, warped, FilterFor(size_, warped, kOfWarp)};
    size_ = warped;
    return {};
  }

  float WithinSide(float side) const {
    return std::max(static_cast<float>(crop_.side[0]),
                    std::min(static_cast<float>(crop_.side[1]), side));
  }

  Status Cut() {
    if (crop_.resized_crop) {
      return CutResized() ? Status() : CutAsItIs();
    }
    return crop_.crop_size == std::array<std::uint32_t, 2>{0, 0} ? CutAsItIs()
                                                                 : CutSquare();
  }

  // The part becomes the batch's image.
  void Keep(const Region& part) {
    plan_.part = part;
    plan_.resizings = {
        {target(), FilterFor({part.width, part.height}, target(), kOfCrop)}};
    plan_.kept = {0, 0, crop_.width, crop_.height};
  }

  bool CutResized() {
    if (crop_.area == kOne && crop_.aspect == kOne) return false;
    const float whole =
        static_cast<float>(std::uint64_t{size_.width} * size_.height);
    for (std::uint32_t i = 0; i < kAreaTries; ++i) {
      const Draw draw = draws_(kTryDraw + i);
      const float area = whole * FloatBetween(crop_.area, DrawFloat(draw, 0));
      const float ratio = FloatBetween(crop_.aspect, DrawFloat(draw, 1));
      float height = std::round(std::sqrt(area / ratio));
      float width = std::round(std::sqrt(area * ratio));
      if (DrawFloat(draw, 2) > 0.5f) std::swap(width, height);
      // Nothing of an image cannot be resized.
      if (!(width >= 1 && height >= 1)) continue;
      if (width > static_cast<float>(size_.width) ||
          height > static_cast<float>(size_.height)) {
        continue;
      }
      Region part{0, 0, static_cast<std::uint32_t>(width),
                  static_cast<std::uint32_t>(height)};
      const Draw place = draws_(kTryPlaceDraw + i);
      part.x = place.Below(0, size_.width - part.width + 1);
      part.y = place.Below(1, size_.height - part.height + 1);
      Keep(part);
      return true;
    }
    return false;
  }

  Status CutSquare() {
    const auto [low, high] = crop_.crop_size;
    if (size_.width < high || size_.height < high) {
      return Status(Code::kUnsupported,
                    "an image of " + Words(size_) +
                        " pixels is smaller than the crop_size of "
                        "ImageRecordCrop, " +
                        std::to_string(high));
    }
    const std::uint32_t side =
        low + draws_(kSquareDraw).Below(0, high - low + 1);
    Keep(PlacedIn(size_, {side, side}));
    return {};
  }

  Region PlacedIn(PixelSize image, PixelSize part) const {
    const std::uint32_t across = image.width - part.width;
    const std::uint32_t down = image.height - part.height;
    if (!crop_.random_place) {
      return {across / 2, down / 2, part.width, part.height};
    }
    const Draw draw = draws_(kPlaceDraw);
    return {draw.Below(0, across + 1), draw.Below(1, down + 1), part.width,
            part.height};
  }

  Status CutAsItIs() {
    // MXNet chooses once, by the image as it is before it grows.
    const OpenCvFilter filter = FilterFor(size_, target(), kOfCrop);
    PixelSize grown = size_;
    if (grown.height < crop_.height) {
      SHARDINE_RETURN_IF_ERROR(
          Grow({Scaled(crop_.height, grown.height, grown.width), crop_.height},
               filter, grown));
    }
    if (grown.width < crop_.width) {
      SHARDINE_RETURN_IF_ERROR(
          Grow({crop_.width, Scaled(crop_.width, grown.width, grown.height)},
               filter, grown));
    }
    if (grown.width < crop_.width || grown.height < crop_.height) {
      return Possible({0, 0}, image_).status();
    }
    const Region kept = PlacedIn(grown, target());
    if (!plan_.resizings.empty()) {
      plan_.part = {0, 0, size_.width, size_.height};
      plan_.kept = kept;
    } else {
      plan_.part = kept;
      plan_.kept = {0, 0, crop_.width, crop_.height};
    }
    return {};
  }

  // In floats, as MXNet has it.
  static std::uint64_t Scaled(std::uint32_t wanted, std::uint32_t side,
                              std::uint32_t other) {
    return static_cast<std::uint64_t>(static_cast<float>(wanted) /
                                      static_cast<float>(side) *
                                      static_cast<float>(other));
  }

  Status Grow(WantedSize wanted, OpenCvFilter filter, PixelSize& grown) {
    SHARDINE_ASSIGN_OR_RETURN(grown, Possible(wanted, image_));
    plan_.resizings.push_back({grown, filter});
    return {};
  }

  void SetDecoded() {
    plan_.decoded = {0, 0, image_.width, image_.height};
    if (plan_.first || plan_.warp) return;
    const auto inside = [pad = crop_.pad](std::uint32_t begin,
                                          std::uint32_t length,
                                          std::uint32_t side) {
      const std::uint32_t from = std::min(std::max(begin, pad) - pad, side - 1);
      const std::uint32_t end =
          std::min(std::max(begin + length, pad) - pad, side);
      // All of it may be border; a decoder needs something to decode.
      return std::pair(from, std::max(end, from + 1) - from);
    };
    const auto [x, width] =
        inside(plan_.part.x, plan_.part.width, image_.width);
    const auto [y, height] =
        inside(plan_.part.y, plan_.part.height, image_.height);
    plan_.decoded = {x, y, width, height};
  }

  const ImageRecordCrop& crop_;
  const PixelSize image_;
  const SampleDraws& draws_;
  PixelSize size_;  // of the image at this step
  RecordPlan plan_;
};

}  // namespace

Result<RecordPlan> PlanRecordCrop(const ImageRecordCrop& crop, PixelSize image,
                                  const SampleDraws& draws) {
  if (image.width == 0 || image.height == 0) {
    return Status(Code::kCorrupt, "the image has no pixels");
  }
  // An image decoded whole needs its room before the decoder looks at it.
  if (std::uint64_t{image.width} * image.height > kMaxPixels) {
    return Status(Code::kUnsupported, "an image of " + Words(image) +
                                          " pixels is larger than "
                                          "ImageRecordCrop takes, 2^28 pixels");
  }
  return Planner(crop, image, draws)();
}

}  // namespace shardine
