#include "cli/image_option_group.h"

#include <string>

#include "shardine/image_words.h"

namespace shardine {
namespace {

// These are the options of Declare(), in the order in which FirstGiven() blames
// them.
constexpr const char* kNames[] = {
    "encoding",    "quality", "subsampling", "optimize", "png-level", "filter",
    "center-crop", "color",   "no-upscale",  "exif",     "keep-icc"};

Status NotOf(const char* name, const char* encoding) {
  return Status(Code::kInvalidArgument,
                std::string("--") + name + " is for --encoding " + encoding);
}

}  // namespace

void ImageOptionGroup::Declare(Options& options) {
  options.Choice("encoding", image_.encoding,
                 "of the images made (default: jpeg)");
  options.Number("quality", quality_, {1, 100},
                 "of JPEG, on libjpeg's scale (default: 90)");
  options.Choice("subsampling", image_.subsampling,
                 "of JPEG: color at half or full resolution (default: 420)");
  options.Flag("optimize", image_.optimize,
               "JPEG with Huffman tables of each image's own: a few percent "
               "smaller, slower to write");
  options.Number("png-level", png_level_, {1, 9},
                 "of PNG: smaller or sooner (default: 6)");
  options.Choice("filter", image_.filter,
                 "Pillow's filter of that name, pixel for pixel (default: "
                 "bilinear)");
  options.Flag("center-crop", image_.center_crop,
               "cut images to the square in their middle first");
  options.Choice("color", image_.color,
                 "keep: gray images stay gray, all others become RGB (default: "
                 "keep)");
  options.Flag("no-upscale", no_upscale_,
               "leave images that are smaller as they are");
  options.Choice("exif", {{"ignore", false}, {"apply", true}},
                 image_.apply_exif,
                 "whether to turn images as their EXIF orientation says "
                 "(default: ignore)");
  options.Flag("keep-icc", image_.keep_icc,
               "keep color profiles; no other metadata is");
}

Result<ImageOptions> ImageOptionGroup::Make(const Options& options) const {
  ImageOptions image = image_;
  image.upscale = !no_upscale_;
  image.quality = static_cast<std::uint32_t>(quality_);
  image.png_level = static_cast<std::uint32_t>(png_level_);
  if (image.encoding == Encoding::kPng) {
    for (const char* name : {"quality", "subsampling", "optimize"}) {
      // What was given is asked for, not the value: --quality 90 with PNG is
      // refused although 90 is the default, since it would do nothing.
      if (options.given(name)) return NotOf(name, "jpeg");
    }
  } else if (options.given("png-level")) {
    return NotOf("png-level", "png");
  }
  return image;
}

std::string ImageOptionGroup::FirstGiven(const Options& options) const {
  for (const char* name : kNames) {
    if (options.given(name)) return std::string("--") + name;
  }
  return {};
}

}  // namespace shardine
