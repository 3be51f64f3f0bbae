// Recoder: from one encoded image to several of other sizes, by one decode.
#ifndef SHARDINE_IMAGE_RECODER_H_
#define SHARDINE_IMAGE_RECODER_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/bytes.h"
#include "image/check_image.h"
#include "image/image_facts.h"
#include "pixels/color_rules.h"
#include "pixels/opencv_axis.h"
#include "pixels/pixels.h"
#include "shardine/image.h"
#include "shardine/status.h"

namespace shardine {

// The size of an image of `size` brought to a short side of `short_side`
// pixels: the other side is max(floor(long * short_side / short), short_side).
// `short_side` 0, and without `upscale` one that is not smaller, keep the size.
PixelSize SizeAtShortSide(PixelSize size, std::uint32_t short_side,
                          bool upscale = true);

// Where OpenCV's arithmetic takes the place of Pillow's.
struct RecodeRules {
  ColorRule samples = ColorRule::kPillow;  // as ColorTarget's
  ColorRule gray = ColorRule::kPillow;     // as ColorTarget's
  // The filter of a change of size, in place of the options' filter. The image
  // is then held in memory whole.
  std::optional<OpenCvFilter> filter = {};
};

struct RecodedImage {
  ByteBuffer bytes;       // the encoded image; of an array its pixels
  PixelSize size;         // of an array
  ImageFacts facts;       // of it
  bool upscaled = false;  // one of its sides grew
  bool kept = false;      // `bytes` are the source's, untouched
};

struct RecodeResult {
  // The verdict on the source, as by CheckImage at ImageCheck::kDecode; or
  // "too-large" if an output would have more pixels than may be decoded, or be
  // too long for the encoding.
  ImageVerdict verdict;
  // The images were made. May be so under a bad verdict: for a fault that
  // libjpeg tolerated, or a header problem that it ignored. Never false under a
  // good one.
  bool made = false;
};

// Keeps memory between images. Thread-compatible.
class Recoder {
 public:
  // One output for each short side, pixels; 0 keeps the size of the source.
  Recoder(const ImageOptions& options,
          const std::vector<std::uint32_t>& short_sides,
          const RecodeRules& rules = {});
  ~Recoder();
  Recoder(Recoder&&) noexcept;
  Recoder& operator=(Recoder&&) noexcept;

  // Without options.upscale, an image that is not larger than a target and of
  // the encoding asked for is handed on untouched, unless it must be cropped,
  // turned or change its color. `entry_points` are the image's own or none, as
  // for ImageDecoder::Open: the outputs are the same, sooner with them.
  // REQUIRES: outputs.size() is the number of short sides. Earlier contents of
  // the outputs are dropped.
  RecodeResult Recode(ByteView image, std::span<RecodedImage> outputs,
                      const DecodeLimits& limits = {},
                      ByteView entry_points = {});

  // The same of an image that is an array, 1 or 3 channels: the outputs are
  // arrays of as many, without gaps between rows and without facts. Options of
  // encodings, colors and orientation have no effect here. The verdict is good,
  // or "too-large".
  RecodeResult RecodeArray(const PixelView& array,
                           std::span<RecodedImage> outputs,
                           const DecodeLimits& limits = {});

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace shardine

#endif  // SHARDINE_IMAGE_RECODER_H_
