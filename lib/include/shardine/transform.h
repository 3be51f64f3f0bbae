// Transforms: the changes to an image on its way into a batch: a geometry, then
// operations on its pixels. Pixels are exact: those of Pillow's crop and resize
// of libjpeg-turbo's decoding.
#ifndef SHARDINE_TRANSFORM_H_
#define SHARDINE_TRANSFORM_H_

#include <array>
#include <concepts>
#include <cstdint>
#include <utility>
#include <variant>
#include <vector>

#include "shardine/affine_operations.h"
#include "shardine/augmentation_policies.h"
#include "shardine/image.h"
#include "shardine/image_record_operations.h"
#include "shardine/pixel_operations.h"
#include "shardine/transform_function.h"

namespace shardine {

// torchvision's RandomResizedCrop and RandomHorizontalFlip: a part of random
// area and aspect ratio, resampled to width x height pixels.
struct RandomResizedCrop {
  std::uint32_t width = 224;
  std::uint32_t height = 224;
  double min_scale = 0.08;  // of the image's area
  double max_scale = 1.0;
  double min_ratio = 3.0 / 4.0;  // width / height
  double max_ratio = 4.0 / 3.0;
  double flip = 0.5;  // probability
};

// The middle, once the short side became `resize`, rounded as torchvision does;
// the pixels that a too small image lacks are black.
struct CenterCrop {
  std::uint32_t width = 224;
  std::uint32_t height = 224;
  std::uint32_t resize = 256;  // 0: the image as it is
};

// The whole image, whatever becomes of its aspect ratio.
struct Resize {
  std::uint32_t width = 224;
  std::uint32_t height = 224;
};

// The same box of each image, in pixels. One that has not all of it is bad.
struct FixedCrop {
  std::uint32_t x = 0;
  std::uint32_t y = 0;
  std::uint32_t box_width = 0;
  std::uint32_t box_height = 0;
  std::uint32_t width = 224;
  std::uint32_t height = 224;
};

// A part of that size at a random place of the image, once it has a border of
// `fill`; nothing is resampled. As torchvision's RandomCrop with padding_mode
// "constant".
struct RandomCrop {
  std::uint32_t width = 32;
  std::uint32_t height = 32;
  // Left, top, right, bottom: less than the crop's side each.
  std::array<std::uint32_t, 4> padding = {0, 0, 0, 0};
  // An image that is too small nevertheless gets the missing pixels, on both
  // sides; otherwise it is bad.
  bool pad_if_needed = false;
  std::array<std::uint8_t, 3> fill = {0, 0, 0};
};

// Where the pixels of a batch lie in the image: the cut, the resampling and the
// flip. Masks, boxes and points follow it.
using Geometry = std::variant<RandomResizedCrop, CenterCrop, Resize, FixedCrop,
                              RandomCrop, ImageRecordCrop>;

template <typename T>
concept GeometryKind = std::constructible_from<Geometry, T>;

// Operations that change values, in the order given.
using PixelOperation =
    std::variant<Normalize, TransformFunction, RandomHorizontalFlip,
                 RandomVerticalFlip, ColorJitter, RandomGrayscale, RandomInvert,
                 RandomPosterize, RandomSolarize, RandomAutocontrast,
                 RandomEqualize, RandomAdjustSharpness, GaussianBlur,
                 RandomErasing, Cutout, Lighting, Affine, RandomAffine,
                 RandomRotation, TrivialAugmentWide, RandAugment, AutoAugment,
                 ImageRecordJitter, RandomHls, PcaNoise, ImageRecordNormalize>;

// The crop of rectangular validation (SampleOrder::kRatio): the middle, after
// the short side became int(size * 1.14), as imagenet18's
// training/dataloader.py and Python have it: 255 of 224, and 113 of 100. Sizes
// that no crop can have are left for the loader to refuse.
constexpr CenterCrop RectangularCrop(std::uint32_t size) {
  return {size, size,
          size > 65'535 ? size : static_cast<std::uint32_t>(size * 1.14)};
}

struct Transform {
  Transform() = default;
  // A geometry alone is a transform: options.transform = CenterCrop{...}.
  template <GeometryKind T>
  Transform(const T& value) : geometry(value) {}  // NOLINT: as a variant does
  Transform(const Geometry& where, std::vector<PixelOperation> what)
      : geometry(where), operations(std::move(what)) {}

  Geometry geometry;
  // The operations on pixels, in order; Normalize or ImageRecordNormalize, if
  // at all, is the last. Gray images in place of ones that cannot be decoded,
  // and synthetic batches, are left as they are.
  std::vector<PixelOperation> operations;
};

enum class PixelLayout : std::uint8_t {
  kNhwc,  // as images are stored
  kNchw,  // planar
};

enum class PixelType : std::uint8_t { kUint8, kFloat32, kFloat16 };

// How pixels lie in the batch.
struct PixelFormat {
  PixelLayout layout = PixelLayout::kNhwc;
  PixelType type = PixelType::kUint8;
  Filter filter = Filter::kBilinear;
  PassOrder order = PassOrder::kPillow13;
  bool apply_exif = false;
};

}  // namespace shardine

#endif  // SHARDINE_TRANSFORM_H_
