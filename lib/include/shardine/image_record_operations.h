// The operations of MXNet's ImageRecordIter on images, in its order and with
// OpenCV's arithmetic on bytes: a geometry, ImageRecordCrop, and operations of
// its own.
//
// Pixels: given the same parameters they are those of MXNet 1.9.1
// (src/io/image_aug_default.cc, iter_image_recordio_2.cc) with the OpenCV 3.4.2
// that it brings along, as x86-64 builds without Intel's IPP compute them, bit
// for bit. OpenCV 4.9 is a level off in cubic resizing and gray, up to 4 in
// HLS; OpenCV 5 warps otherwise: tests/interop/mxnet/against_opencv.py.
//
// Draws: as shardine/pixel_operations.h has them; a geometry's are draws 0 to
// 255. F(d, w) is floor(word / 2^8) / 2^24, a float below 1, as MXNet's
// uniform floats are. A range is drawn as F (high - low) + low, in floats.
#ifndef SHARDINE_IMAGE_RECORD_OPERATIONS_H_
#define SHARDINE_IMAGE_RECORD_OPERATIONS_H_

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "shardine/pixel_operations.h"

namespace shardine {

// ImageRecordIter's inter_method.
enum class OpenCvInterpolation : std::uint8_t {
  kNearest,
  kLinear,
  kCubic,
  kArea,  // of the affine part: linear
  kLanczos4,
  kAuto,    // cubic where both sides grow, area where both shrink, else linear
  kRandom,  // one of the first five, for each use another
};

// The least and the most, both of them possible.
using WholeRange = std::array<std::int32_t, 2>;

// In this order:
// 1. `resize`: the short side becomes that, the other one rounded down.
//    Its interpolation, if random, is N(2, 0, 5).
// 2. The affine part, unless all of its parameters are as below: shear s by
//    F(0, 0), whole degrees a by low + N(0, 1, high - low + 1), or the one of
//    `angles` with number N(0, 1, count), scale c by F(0, 2), aspect r (width /
//    height) by F(0, 3); h = 2 c / (1 + r), w = r h:
//      [h cos(a) - s w sin(a),  h sin(a) + s w cos(a)]
//      [       - w sin(a),              w cos(a)     ]
//    around the middle. The new size is c times the old one, each side within
//    `side`, rounded down. Interpolation: N(2, 1, 5).
// 3. A border of `pad` pixels. Pixels beyond the image, here and in 2, are
//    `fill`, all three channels.
// 4. The cut, by the first of these that is asked for:
//    `resized_crop`: try t of ten: `area` by F(8 + t, 0) and `aspect` by
//      F(8 + t, 1), height round(sqrt(A / r)) and width round(sqrt(A r)), which
//      change places if F(8 + t, 2) > 0.5. The first that fits begins at column
//      N(18 + t, 0, ...) and row N(18 + t, 1, ...) of as many as there are, and
//      becomes width x height, interpolation N(2, 2, 5). If none fits, or area
//      and aspect are 1: as below. `aspect` is not of part 2 then.
//    `crop_size`: a square, its side low + N(1, 0, high - low + 1), which
//      becomes width x height, interpolation N(2, 2, 5).
//    width x height pixels as they are; of an image that has less than that,
//    once it was made as high as needed, then as wide (interpolation
//    N(2, 2, 5)).
//    The last two begin at column N(3, 0, ...) and row N(3, 1, ...) of as many
//    as there are if `random_place`, else in the middle, rounded down.
// Only the cut pixels are decoded where there is neither 1 nor 2.
struct ImageRecordCrop {
  std::uint32_t width = 224;
  std::uint32_t height = 224;
  std::uint32_t resize = 0;          // 0: the image as it is
  DrawnRange shear = {0, 0};         // -100 to 100
  WholeRange angle = {0, 0};         // -36000 to 36000
  std::vector<std::int32_t> angles;  // 65,535 at most
  DrawnRange scale = {1, 1};         // 1e-3 to 1e3
  DrawnRange aspect = {1, 1};        // 1e-3 to 1e3; of 4 or, without that, of 2
  DrawnRange side = {0, 1e10};
  std::uint32_t pad = 0;  // to 65,535
  std::uint8_t fill = 255;
  bool random_place = false;
  std::array<std::uint32_t, 2> crop_size = {0, 0};  // 0, 0: none
  bool resized_crop = false;  // without scale, crop_size and random_place
  DrawnRange area = {1, 1};   // of the image's; 0 to 1e6
  OpenCvInterpolation interpolation = OpenCvInterpolation::kLinear;
};

// Brightness, contrast and saturation by factors f of F(1, 0) to F(1, 2), in
// the order 012 shuffled: for i = 2, 1: i changes places with
// N(2, 2 - i, i + 1). One whose range is {1, 1} is left out. Rounded to the
// nearest, halves to even, clamped. As in ImageRecordIter, gray takes red and
// blue in each other's place: (4899 b + 9617 g + 1868 r + 2^13) / 2^14.
//   brightness: v f;  contrast: v f + (1 - f) mean(gray);
//   saturation: v f + gray (1 - f)
struct ImageRecordJitter {
  DrawnRange brightness = {1, 1};  // -1e6 to 1e6, as the others
  DrawnRange contrast = {1, 1};
  DrawnRange saturation = {1, 1};
};

// Hue (0 to 180), lightness and saturation (0 to 255) of OpenCV's HLS plus a
// whole number each, clamped: (F(1, w) + 4 F(2, w)) / 5 in the range,
// truncated; w is 0 for h, 1 for s, 2 for l.
struct RandomHls {
  WholeRange h = {0, 0};  // -65535 to 65535, as the others
  WholeRange s = {0, 0};
  WholeRange l = {0, 0};
};

// AlexNet's noise as ImageRecordIter has it: the addends of Lighting, in floats
// (eigenvalues 55.46, 4.794 and 1.148), v plus that truncated towards 0, then
// clamped. Each of the three factors is normal, as Lighting's are.
struct PcaNoise {
  double deviation = 0;  // 0 to 100
};

// The floats (v - mean) m + b, m = contrast / std, b = illumination / std;
// contrast is (F(1, 0) 2 max_contrast - max_contrast + 1) scale and
// illumination (F(1, 1) 2 max_illumination - max_illumination) scale. In place
// of Normalize: the last operation, of floats alone.
struct ImageRecordNormalize {
  std::array<float, 3> mean = {0, 0, 0};
  std::array<float, 3> std = {1, 1, 1};  // not 0
  float scale = 1;
  float max_contrast = 0;
  float max_illumination = 0;
  // In place of mean: 3 x height x width, as large as the images; of one that
  // is flipped (RandomHorizontalFlip, RandomVerticalFlip) flipped as well.
  std::shared_ptr<const std::vector<float>> mean_image = nullptr;
};

}  // namespace shardine

#endif  // SHARDINE_IMAGE_RECORD_OPERATIONS_H_
