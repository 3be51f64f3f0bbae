#include "shardine/image.h"
#include "shardine/image_words.h"
#include "shardine/recode.h"

namespace shardine {

std::string Describe(const ImageOptions& options) {
  std::string text = WordOf(options.filter);
  text += std::string(" ") + WordOf(options.order) + " ";
  text += WordOf(options.color);
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

std::string Describe(const RecodeOptions& options, std::uint32_t quality) {
  if (!options.recode) return {};
  std::string text = WordOf(*options.recode);
  if (*options.recode == Encoding::kJpeg) {
    text += " quality=" + std::to_string(quality);
  }
  return text + (options.to_8_bits ? " 8-bit" : "");
}

}  // namespace shardine
