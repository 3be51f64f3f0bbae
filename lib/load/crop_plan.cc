#include "load/crop_plan.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <variant>

#include "base/check.h"
#include "base/status_macros.h"
#include "load/portable_math.h"
#include "load/record_plan.h"

namespace shardine {
namespace {

// This is torchvision's number of tries, part of the pinned boxes.
constexpr std::uint32_t kTries = 10;
// The other side of an image of 1 x 65,535 pixels would be thousands of times
// the short one's size, and its resampling tables with it.
constexpr std::uint64_t kMaxSide = std::uint64_t{1} << 26;

double Between(double low, double high, double uniform) {
  return low + uniform * (high - low);
}

std::uint32_t Clamped(std::int64_t side, std::uint32_t limit) {
  return static_cast<std::uint32_t>(
      std::clamp<std::int64_t>(side, 1, std::int64_t{limit}));
}

struct LogRatios {
  double low;
  double high;
};

// `by`: the unit of the crop's ratios.
std::optional<Region> DrawnBox(const RandomResizedCrop& crop, LogRatios ratios,
                               double by, PixelSize image,
                               const SampleDraws& draws) {
  const double area = static_cast<double>(image.width) * image.height;
  for (std::uint32_t i = 0; i < kTries; ++i) {
    const Draw draw = draws(i);
    const double box_area =
        area * Between(crop.min_scale, crop.max_scale, draw.Uniform(0));
    const double ratio =
        // The C library's exp and log differ in their last bit between
        // versions, and a box that rounds the other way is another crop.
        PortableExp(Between(ratios.low, ratios.high, draw.Uniform(1))) * by;
    const std::int64_t width = RoundHalfEven(std::sqrt(box_area * ratio));
    const std::int64_t height = RoundHalfEven(std::sqrt(box_area / ratio));
    if (width < 1 || width > image.width) continue;
    if (height < 1 || height > image.height) continue;
    Region box{0, 0, static_cast<std::uint32_t>(width),
               static_cast<std::uint32_t>(height)};
    // Only the try that fits draws its place. Each try has words of its own, so
    // the draws before it change nothing.
    box.x = draw.Below(2, image.width - box.width + 1);
    box.y = draw.Below(3, image.height - box.height + 1);
    return box;
  }
  return std::nullopt;
}

Region MiddleBox(const RandomResizedCrop& crop, double by, PixelSize image) {
  const double min_ratio = crop.min_ratio * by;
  const double max_ratio = crop.max_ratio * by;
  const double width = image.width;
  const double height = image.height;
  PixelSize box = image;
  if (width / height < min_ratio) {
    box.height = Clamped(RoundHalfEven(width / min_ratio), image.height);
  } else if (width / height > max_ratio) {
    box.width = Clamped(RoundHalfEven(height * max_ratio), image.width);
  }
  return {(image.width - box.width) / 2, (image.height - box.height) / 2,
          box.width, box.height};
}

// Where a crop of that length begins on a side; below 0: in the black.
std::int64_t MiddleOf(std::uint32_t side, std::uint32_t crop) {
  if (crop > side) return -static_cast<std::int64_t>((crop - side) / 2);
  return RoundHalfEven((side - crop) / 2.0);
}

std::string WordsOf(PixelSize image) {
  return "an image of " + std::to_string(image.width) + "x" +
         std::to_string(image.height) + " pixels";
}

// Where a random crop may begin on a side.
struct Places {
  std::int64_t first;
  std::uint32_t places;
};

std::optional<Places> Corner(std::array<std::uint32_t, 2> padding,
                             std::uint32_t side, std::uint32_t crop,
                             bool pad_if_needed) {
  std::int64_t first = -std::int64_t{padding[0]};
  std::uint64_t padded = std::uint64_t{side} + padding[0] + padding[1];
  if (padded < crop) {
    if (!pad_if_needed) return std::nullopt;
    const std::uint64_t lacking = crop - padded;
    first -= static_cast<std::int64_t>(lacking);
    padded += 2 * lacking;
  }
  return Places{first, static_cast<std::uint32_t>(padded - crop + 1)};
}

Result<PixelSize> ShortSideTo(std::uint32_t size, PixelSize image) {
  const auto [short_side, long_side] = std::minmax({image.width, image.height});
  const std::uint64_t other = std::uint64_t{size} * long_side / short_side;
  if (other > kMaxSide) {
    return Status(Code::kUnsupported,
                  "the short side of " + WordsOf(image) + " made " +
                      std::to_string(size) +
                      ": the other one has more than 2^26 pixels");
  }
  const auto longer = static_cast<std::uint32_t>(other);
  return image.width <= image.height ? PixelSize{size, longer}
                                     : PixelSize{longer, size};
}

// The least size of the image's shape that covers the bucket.
Result<PixelSize> SizeToCover(PixelSize image, PixelSize bucket) {
  const bool is_narrow = std::uint64_t{image.width} * bucket.height <=
                         std::uint64_t{image.height} * bucket.width;
  const std::uint64_t other =
      is_narrow ? std::uint64_t{bucket.width} * image.height / image.width
                : std::uint64_t{bucket.height} * image.width / image.height;
  if (other > kMaxSide) {
    return Status(Code::kUnsupported,
                  WordsOf(image) + " made to cover " +
                      std::to_string(bucket.width) + "x" +
                      std::to_string(bucket.height) +
                      ": the other side has more than 2^26 pixels");
  }
  const auto longer = static_cast<std::uint32_t>(other);
  return is_narrow ? PixelSize{bucket.width, longer}
                   : PixelSize{longer, bucket.height};
}

CropPlan WholeImage(PixelSize image, PixelSize resized, PixelSize size) {
  return {.box = {0, 0, image.width, image.height},
          .resized = resized,
          .size = size};
}

// Nothing is resampled: pixels that are not kept need not be decoded.
void DecodeKeptOnly(CropPlan& plan) {
  plan.box = plan.kept();
  plan.resized = {plan.box.width, plan.box.height};
  plan.x = std::min<std::int64_t>(plan.x, 0);
  plan.y = std::min<std::int64_t>(plan.y, 0);
}

CropPlan MiddlePart(PixelSize image, PixelSize resized, PixelSize crop) {
  CropPlan plan = WholeImage(image, resized, crop);
  plan.x = MiddleOf(resized.width, crop.width);
  plan.y = MiddleOf(resized.height, crop.height);
  // The filter of a resampled image reaches beyond the crop, so that its box
  // has to stay the whole image for the same pixels.
  if (resized == image) DecodeKeptOnly(plan);
  return plan;
}

struct Planner {
  LogRatios ratios;
  bool in_buckets;
  PixelSize image;
  const SampleDraws& draws;
  PixelSize target;

  Result<CropPlan> operator()(const RandomResizedCrop& crop) const {
    const double by =
        in_buckets ? static_cast<double>(target.width) / target.height : 1;
    const std::optional<Region> box = DrawnBox(crop, ratios, by, image, draws);
    const PixelSize size =
        in_buckets ? target : PixelSize{crop.width, crop.height};
    return CropPlan{.box = box ? *box : MiddleBox(crop, by, image),
                    .resized = size,
                    .size = size,
                    .flip = draws(kTries).Uniform(0) < crop.flip};
  }

  Result<CropPlan> operator()(const CenterCrop& crop) const {
    if (in_buckets) {
      SHARDINE_ASSIGN_OR_RETURN(const PixelSize cover,
                                SizeToCover(image, target));
      return MiddlePart(image, cover, target);
    }
    if (crop.resize == 0) return MiddlePart(image, image, target);
    Result<PixelSize> resized = ShortSideTo(crop.resize, image);
    if (!resized.ok()) return resized.status();
    return MiddlePart(image, *resized, target);
  }

  Result<CropPlan> operator()(const Resize& resize) const {
    const PixelSize size =
        in_buckets ? target : PixelSize{resize.width, resize.height};
    return WholeImage(image, size, size);
  }

  Result<CropPlan> operator()(const FixedCrop& crop) const {
    const auto inside = [](std::uint32_t begin, std::uint32_t length,
                           std::uint32_t side) {
      return length > 0 && std::uint64_t{begin} + length <= side;
    };
    if (!inside(crop.x, crop.box_width, image.width) ||
        !inside(crop.y, crop.box_height, image.height)) {
      return Status(Code::kUnsupported,
                    "the box of FixedCrop is not in " + WordsOf(image));
    }
    const PixelSize size{crop.width, crop.height};
    return CropPlan{.box = {crop.x, crop.y, crop.box_width, crop.box_height},
                    .resized = size,
                    .size = size};
  }

  Result<CropPlan> operator()(const RandomCrop& crop) const {
    const auto [left, top, right, bottom] = crop.padding;
    const Draw draw = draws(0);
    const auto x =
        Corner({left, right}, image.width, crop.width, crop.pad_if_needed);
    const auto y =
        Corner({top, bottom}, image.height, crop.height, crop.pad_if_needed);
    if (!x || !y) {
      return Status(Code::kUnsupported,
                    "RandomCrop to " + std::to_string(crop.width) + "x" +
                        std::to_string(crop.height) +
                        ", its padding included, is larger than " +
                        WordsOf(image));
    }
    CropPlan plan =
        WholeImage(image, image, PixelSize{crop.width, crop.height});
    plan.x = x->first + draw.Below(2, x->places);
    plan.y = y->first + draw.Below(3, y->places);
    plan.fill = crop.fill;
    DecodeKeptOnly(plan);
    return plan;
  }

  Result<CropPlan> operator()(const ImageRecordCrop&) const {
    SHARDINE_CHECK(false);  // PlanRecordCrop's
    return CropPlan();
  }
};

// Takes the first fault.
class OptionCheck {
 public:
  OptionCheck& Side(const char* name, std::uint32_t value,
                    std::uint32_t least = 1) {
    return Require(value >= least && value <= 65'535, name,
                   "must be " + std::to_string(least) + " to 65535");
  }
  OptionCheck& Scale(double low, double high) {
    return Require(low >= 0 && low <= high && high > 0 && high <= 1e6,
                   "min_scale, max_scale", "must be 0 to 1e6, ascending");
  }
  OptionCheck& Ratio(double low, double high) {
    return Require(low >= 1e-6 && low <= high && high <= 1e6,
                   "min_ratio, max_ratio", "must be 1e-6 to 1e6, ascending");
  }
  OptionCheck& Padding(std::uint32_t first, std::uint32_t last,
                       std::uint32_t side) {
    // With more, a crop could lie beside the image.
    return Require(first < side && last < side, "padding",
                   "must be less than the crop's side");
  }
  OptionCheck& Probability(const char* name, double value) {
    return Require(value >= 0 && value <= 1, name, "must be 0 to 1");
  }
  Status status() && { return std::move(status_); }

 private:
  OptionCheck& Require(bool good, const char* name, const std::string& why) {
    if (!good && status_.ok()) {
      status_ = Status(Code::kInvalidArgument,
                       std::string("transform: ") + name + " " + why);
    }
    return *this;
  }

  Status status_;
};

struct Checker {
  OptionCheck operator()(const RandomResizedCrop& crop) const {
    return OptionCheck()
        .Side("width", crop.width)
        .Side("height", crop.height)
        .Scale(crop.min_scale, crop.max_scale)
        .Ratio(crop.min_ratio, crop.max_ratio)
        .Probability("flip", crop.flip);
  }
  OptionCheck operator()(const CenterCrop& crop) const {
    return OptionCheck()
        .Side("width", crop.width)
        .Side("height", crop.height)
        .Side("resize", crop.resize, 0);
  }
  OptionCheck operator()(const Resize& resize) const {
    return OptionCheck()
        .Side("width", resize.width)
        .Side("height", resize.height);
  }
  OptionCheck operator()(const FixedCrop& crop) const {
    return OptionCheck()
        .Side("width", crop.width)
        .Side("height", crop.height)
        .Side("box_width", crop.box_width)
        .Side("box_height", crop.box_height);
  }
  OptionCheck operator()(const RandomCrop& crop) const {
    return OptionCheck()
        .Side("width", crop.width)
        .Side("height", crop.height)
        .Padding(crop.padding[0], crop.padding[2], crop.width)
        .Padding(crop.padding[1], crop.padding[3], crop.height);
  }
  OptionCheck operator()(const ImageRecordCrop&) const {
    return OptionCheck();  // CheckRecordCrop's
  }
};

// The part of [0, side) that [begin, begin + length) has.
std::uint32_t Overlap(std::int64_t begin, std::uint32_t length,
                      std::uint32_t side) {
  const std::int64_t end = std::min<std::int64_t>(begin + length, side);
  return static_cast<std::uint32_t>(end - std::max<std::int64_t>(begin, 0));
}

}  // namespace

Region CropPlan::kept() const {
  return {static_cast<std::uint32_t>(std::max<std::int64_t>(x, 0)),
          static_cast<std::uint32_t>(std::max<std::int64_t>(y, 0)),
          Overlap(x, size.width, resized.width),
          Overlap(y, size.height, resized.height)};
}

Status CheckGeometry(const Geometry& geometry) {
  if (const auto* const crop = std::get_if<ImageRecordCrop>(&geometry)) {
    return CheckRecordCrop(*crop);
  }
  return std::visit(Checker(), geometry).status();
}

CropPlanner::CropPlanner(const Geometry& geometry, bool in_buckets)
    : geometry_(geometry), in_buckets_(in_buckets) {
  if (const auto* crop = std::get_if<RandomResizedCrop>(&geometry)) {
    low_ratio_ = PortableLog(crop->min_ratio);
    high_ratio_ = PortableLog(crop->max_ratio);
  }
}

Result<CropPlan> CropPlanner::operator()(PixelSize image,
                                         const SampleDraws& draws,
                                         PixelSize target) const {
  if (image.width == 0 || image.height == 0) {
    return Status(Code::kCorrupt, "the image has no pixels");
  }
  return std::visit(
      Planner{{low_ratio_, high_ratio_}, in_buckets_, image, draws, target},
      geometry_);
}

PixelSize TargetSize(const Geometry& geometry) {
  return std::visit(
      [](const auto& value) {
        return PixelSize{value.width, value.height};
      },
      geometry);
}

}  // namespace shardine
