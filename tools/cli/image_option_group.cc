#include "cli/image_option_group.h"

#include <algorithm>
#include <string>
#include <utility>

#include "cli/number.h"
#include "shardine/escape.h"
#include "shardine/image_words.h"

namespace shardine {
namespace {

// The longest side of a JPEG that libjpeg writes.
constexpr std::uint64_t kMaxShortSide = 65'500;

// These are the options of Declare(), in the order in which FirstGiven() blames
// them.
constexpr const char* kNames[] = {
    "encoding",    "quality", "subsampling", "optimize", "png-level", "filter",
    "center-crop", "color",   "no-upscale",  "exif",     "keep-icc"};

Status NotOf(const char* name, const char* encoding) {
  return Status(Code::kInvalidArgument,
                std::string("--") + name + " is for --encoding " + encoding);
}

std::vector<std::string_view> SplitAtCommas(std::string_view text) {
  std::vector<std::string_view> words;
  while (true) {
    const std::size_t comma = text.find(',');
    words.push_back(text.substr(0, comma));
    if (comma == text.npos) return words;
    text.remove_prefix(comma + 1);
  }
}

std::string Quoted(std::string_view word) {
  return "\"" + EscapeBytes(word) + "\"";
}

Status AddShortSide(std::string_view number, std::string_view word,
                    std::vector<std::uint32_t>& short_sides) {
  const auto pixels = ParseUnsigned(number);
  if (!pixels || *pixels == 0 || *pixels > kMaxShortSide) {
    return Status(Code::kInvalidArgument,
                  Quoted(word) + " is no size of 1 to 65500 pixels");
  }
  const auto side = static_cast<std::uint32_t>(*pixels);
  const auto at = std::ranges::lower_bound(short_sides, side);
  // A size that is named twice is more likely a slip than a wish, and the slip
  // was meant to be another size.
  if (at != short_sides.end() && *at == side) {
    return Status(Code::kInvalidArgument, Quoted(word) + " is there twice");
  }
  short_sides.insert(at, side);
  return Status();
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

Result<std::vector<std::uint32_t>> ParseShortSides(std::string_view text) {
  std::vector<std::uint32_t> short_sides;
  for (const std::string_view word : SplitAtCommas(text)) {
    const Status added = AddShortSide(word, word, short_sides);
    if (!added.ok()) return added;
  }
  return short_sides;
}

Status ParseVariants(std::string_view text, VariantOptions& variants) {
  variants.original = false;
  variants.short_sides.clear();
  for (const std::string_view word : SplitAtCommas(text)) {
    if (word == "original") {
      if (std::exchange(variants.original, true)) {
        return Status(Code::kInvalidArgument, Quoted(word) + " is there twice");
      }
      continue;
    }
    if (!word.starts_with("sz/")) {
      return Status(Code::kInvalidArgument,
                    Quoted(word) + " is neither original nor sz/PIXELS");
    }
    const Status added =
        AddShortSide(word.substr(3), word, variants.short_sides);
    if (!added.ok()) return added;
  }
  return Status();
}

}  // namespace shardine
