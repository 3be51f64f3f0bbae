// ImageFacts: the contents of an image's header, a plain struct that travels as
// data to places that include no image code (format writers, sidecar rows).
// probe.h fills it.
#ifndef SHARDINE_IMAGE_IMAGE_FACTS_H_
#define SHARDINE_IMAGE_IMAGE_FACTS_H_

#include <cstdint>

namespace shardine {

// Stored in sidecars as these numbers: never renumber.
enum class ImageKind : std::uint8_t {
  kUnknown = 0,
  kJpeg = 1,
  kPng = 2,
  kWebp = 3,
  kGif = 4,
  kBmp = 5,
  kTiff = 6,
  kHeic = 7,
  kSvg = 8,
  kHtml = 9,
  kGitLfsPointer = 10,
  kAvif = 11,  // kHeic in older sidecars
  kJpegXl = 12,
};

// JPEG processes by their SOF marker; PNG has kPng. Never renumber.
enum class ImageCoding : std::uint8_t {
  kUnknown = 0,
  kBaseline = 1,     // SOF0
  kExtended = 2,     // SOF1, Huffman
  kProgressive = 3,  // SOF2, Huffman
  kArithmetic = 4,   // SOF9, SOF10
  kLossless = 5,     // SOF3 and the hierarchical rest
  kPng = 6,
};

struct ImageFacts {
  ImageKind kind = ImageKind::kUnknown;
  ImageCoding coding = ImageCoding::kUnknown;
  std::uint32_t width = 0;   // pixels, as stored (before EXIF orientation)
  std::uint32_t height = 0;  // 0 x 0 where the kind is not parsed further
  std::uint8_t components = 0;
  // per component; 0: the header is of a kind or form that is not decoded, or
  // the program that made a sidecar did not decode the kind
  std::uint8_t bits = 0;
  std::uint8_t orientation = 0;  // EXIF, 1..8; 0 = not stated

  friend bool operator==(const ImageFacts&, const ImageFacts&) = default;
};

// "jpeg", "png", ... as texts show it.
const char* ToString(ImageKind kind);

}  // namespace shardine

#endif  // SHARDINE_IMAGE_IMAGE_FACTS_H_
