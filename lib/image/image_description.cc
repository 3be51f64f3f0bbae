#include <array>
#include <utility>

#include "shardine/image.h"

namespace shardine {
namespace {

constexpr std::array<std::pair<Filter, const char*>, 6> kFilters = {{
    {Filter::kNearest, "nearest"},
    {Filter::kBox, "box"},
    {Filter::kBilinear, "bilinear"},
    {Filter::kHamming, "hamming"},
    {Filter::kBicubic, "bicubic"},
    {Filter::kLanczos, "lanczos"},
}};

const char* NameOf(ColorMode color) {
  switch (color) {
    case ColorMode::kKeep:
      return "keep";
    case ColorMode::kColor:
      return "color";
    case ColorMode::kGray:
      return "gray";
  }
  return "";
}

}  // namespace

const char* ToString(Filter filter) {
  for (const auto& [value, name] : kFilters) {
    if (value == filter) return name;
  }
  return "";
}

std::optional<Filter> ParseFilter(std::string_view name) {
  for (const auto& [value, known] : kFilters) {
    if (name == known) return value;
  }
  return std::nullopt;
}

std::string Describe(const ImageOptions& options) {
  std::string text = ToString(options.filter);
  text += options.order == PassOrder::kPillow13 ? " pillow13 " : " pillow12 ";
  text += NameOf(options.color);
  if (options.center_crop) text += " center-crop";
  if (!options.upscale) text += " no-upscale";
  if (options.apply_exif) text += " exif";
  if (options.encoding == Encoding::kPng) {
    text += " png level=" + std::to_string(options.png_level);
  } else {
    text += " jpeg quality=" + std::to_string(options.quality);
    text += options.subsampling == Subsampling::k420 ? " 4:2:0" : " 4:4:4";
    if (options.optimize) text += " optimize";
  }
  if (options.keep_icc) text += " icc";
  return text;
}

}  // namespace shardine
