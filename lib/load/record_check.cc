#include <cmath>
#include <string>

#include "load/record_plan.h"

namespace shardine {
namespace {

// Takes the first fault.
class RecordCheck {
 public:
  RecordCheck& Require(bool good, const char* name, const char* words) {
    if (!good && status_.ok()) {
      status_ =
          Status(Code::kInvalidArgument, std::string("transform: ") + name +
                                             " of ImageRecordCrop " + words);
    }
    return *this;
  }
  RecordCheck& Side(const char* name, std::uint32_t value,
                    std::uint32_t least) {
    return Require(value >= least && value <= 65'535, name,
                   least == 0 ? "must be 0 to 65535" : "must be 1 to 65535");
  }
  RecordCheck& Ascending(const char* name, const DrawnRange& range,
                         DrawnRange bounds, const char* words) {
    return Require(
        range[0] >= bounds[0] && range[0] <= range[1] && range[1] <= bounds[1],
        name, words);
  }
  Status status() && { return std::move(status_); }

 private:
  Status status_;
};

bool IsAngle(std::int32_t degrees) {
  return degrees >= -36'000 && degrees <= 36'000;
}

}  // namespace

Status CheckRecordCrop(const ImageRecordCrop& crop) {
  constexpr const char* kDegrees = "must be -36000 to 36000, ascending";
  constexpr const char* kScales = "must be 0.001 to 1000, ascending";
  const auto& [low_crop, high_crop] = crop.crop_size;
  const bool has_square = low_crop > 0 || high_crop > 0;
  RecordCheck check;
  check.Side("width", crop.width, 1)
      .Side("height", crop.height, 1)
      .Side("resize", crop.resize, 0)
      .Side("pad", crop.pad, 0)
      .Ascending("shear", crop.shear, {-100, 100},
                 "must be -100 to 100, ascending")
      .Require(IsAngle(crop.angle[0]) && IsAngle(crop.angle[1]) &&
                   crop.angle[0] <= crop.angle[1],
               "angle", kDegrees)
      .Require(crop.angles.size() <= 65'535, "angles", "must be 65535 at most")
      .Ascending("scale", crop.scale, {1e-3, 1e3}, kScales)
      .Ascending("aspect", crop.aspect, {1e-3, 1e3}, kScales)
      .Ascending("side", crop.side, {0, 1e10}, "must be 0 to 1e10, ascending")
      .Ascending("area", crop.area, {0, 1e6}, "must be 0 to 1e6, ascending")
      .Require(!has_square || (low_crop >= 1 && low_crop <= high_crop &&
                               high_crop <= 65'535),
               "crop_size", "must be 1 to 65535, ascending")
      .Require(!crop.resized_crop || (!has_square && !crop.random_place &&
                                      crop.scale == DrawnRange{1, 1}),
               "resized_crop", "excludes scale, crop_size and random_place");
  for (const std::int32_t degrees : crop.angles) {
    check.Require(IsAngle(degrees), "angles", "must be -36000 to 36000 each");
  }
  return std::move(check).status();
}

}  // namespace shardine
