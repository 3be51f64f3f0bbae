// How new images are made of old ones: the options that sizes of a pack,
// resize, arrays of a conversion and im2rec have in common.
#ifndef SHARDINE_IMAGE_H_
#define SHARDINE_IMAGE_H_

#include <cstdint>
#include <string>

namespace shardine {

// Pillow's resampling filters, pixel for pixel. All but nearest are widened
// when an image shrinks, so that every source pixel counts.
enum class Filter : std::uint8_t {
  kNearest,
  kBox,
  kBilinear,
  kHamming,
  kBicubic,
  kLanczos,
};

// Which of the two passes comes first, which shows in the last bit of a pixel.
enum class PassOrder : std::uint8_t {
  kPillow13,  // the cheaper one, as Pillow does from version 13 on
  kPillow12,  // always the horizontal one
};

enum class ColorMode : std::uint8_t {
  kKeep,   // gray stays one channel, all else becomes RGB
  kColor,  // RGB; gray as three equal channels
  kGray,   // one channel: Pillow's convert("L")
};

enum class Encoding : std::uint8_t { kJpeg, kPng };

enum class Subsampling : std::uint8_t { k420, k444 };

struct ImageOptions {
  Filter filter = Filter::kBilinear;
  PassOrder order = PassOrder::kPillow13;
  bool center_crop = false;  // to a square of the short side, before resizing
  ColorMode color = ColorMode::kKeep;
  bool upscale = true;      // false: images that are smaller keep their size
  bool apply_exif = false;  // turn pixels as the EXIF orientation says
  Encoding encoding = Encoding::kJpeg;
  std::uint32_t quality = 90;  // JPEG, 1 to 100
  Subsampling subsampling = Subsampling::k420;
  bool optimize = false;        // Huffman tables of each image's own
  std::uint32_t png_level = 6;  // of deflate, 1 to 9
  bool keep_icc = false;        // the color profile; no other metadata is kept

  friend bool operator==(const ImageOptions&, const ImageOptions&) = default;
};

// All that decides the bytes of an image made by these options, in one line:
// "bilinear pillow13 keep jpeg quality=90 4:2:0".
std::string Describe(const ImageOptions& options);

}  // namespace shardine

#endif  // SHARDINE_IMAGE_H_
