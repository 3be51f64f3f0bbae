// RectOrder: the order of rectangular validation, and the size of a batch's
// images in it. As imagenet18 does it (training/dataloader.py: sort_ar,
// map_idx2ar, CropArTfm): images by ascending ratio = round(width / height, 5),
// equal ones as they are stored; a batch of neighbours is cut to their mean
// ratio, rounded to 5 digits as well.
#ifndef SHARDINE_LOAD_RECT_ORDER_H_
#define SHARDINE_LOAD_RECT_ORDER_H_

#include <cstdint>
#include <span>
#include <vector>

#include "pixels/pixels.h"
#include "shardine/digest.h"

namespace shardine {

// round(width / height, 5) of Python, in units of 1e-5: of the two nearest the
// one that the double quotient is nearer to, else the even one. Sides that are
// not known (0): 1. From 65,535 on: that.
std::uint64_t RectRatio(PixelSize size);

// The size that a batch with this mean ratio is cut to: where it is below 1,
// height floor8(int(size / ratio)) and width `size`; else width
// floor8(int(size * ratio)) and height `size`. floor8: down to a multiple of 8,
// here at least 8. A mean beyond 1/8 to 8 counts as that one: a few hostile
// images must not make a batch of gigabytes.
PixelSize RectTarget(std::uint32_t size, double mean_ratio);

// Immutable, so thread-safe. 16 bytes of memory for each image.
class RectOrder {
 public:
  // `sizes`: of all images in stored order, as they are decoded, so turned
  // upright if that is asked for.
  explicit RectOrder(std::span<const PixelSize> sizes);

  std::uint64_t size() const { return images_.size(); }
  // The sample's position in the dataset. REQUIRES: position < size().
  std::uint64_t operator()(std::uint64_t position) const;
  // XXH3-128 of the samples' positions in their order, each as 8 bytes.
  const Digest128& digest() const { return digest_; }

  // Mean ratio of `count` neighbours of the order, rounded to 5 digits, halves
  // to even (there NumPy's depends on how it adds up). Positions from size() on
  // wrap around. REQUIRES: count > 0, size() > 0.
  double MeanRatio(std::uint64_t first, std::uint32_t count) const;

 private:
  struct Image {
    std::uint64_t ratio;
    std::uint64_t position;
  };
  std::vector<Image> images_;
  Digest128 digest_;
};

}  // namespace shardine

#endif  // SHARDINE_LOAD_RECT_ORDER_H_
