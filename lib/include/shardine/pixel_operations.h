// Operations on pixels: changes to the values of an image, once its geometry
// has made it as large as the batch's images are. Names, parameters, defaults
// and pixels are those of torchvision's transforms/v2 on uint8.
//
// Pixels: given the same parameters they are those of torchvision's kernels for
// tensors (transforms/v2/functional), bit for bit; or, where it says "one
// level", at most one level off, as torchvision's own are from one processor to
// the next, whose multiply and add are one rounding or two. Here they are two,
// everywhere: the same on any machine. v is a value, 0 to 255; floats have 32
// bits; "to a byte" is clamped to 0 to 255, then truncated.
//
// Draws: those of operation number k of a transform, from 0 on, Normalize and
// all others counted, are 256 (k + 1) + d of the sample, d from 0 on (philox of
// seed, sample id, epoch; four words each). U(d, w) is word w of draw d divided
// by 2^32; N(d, w, n) is floor(word * n / 2^32). A range is drawn as
// low + U (high - low). An operation is done if U(0, 0) < probability.
#ifndef SHARDINE_PIXEL_OPERATIONS_H_
#define SHARDINE_PIXEL_OPERATIONS_H_

#include <array>
#include <cstdint>

namespace shardine {

// The least and the most.
using DrawnRange = std::array<double, 2>;

// Left becomes right. CropBox::flip is set, too.
struct RandomHorizontalFlip {
  double probability = 0.5;
};

// Upside down; CropBox::vertical_flip.
struct RandomVerticalFlip {
  double probability = 0.5;
};

// Brightness, contrast, saturation and hue by factors of U(1, 0) to U(1, 3), in
// the order 0123 shuffled: for i = 3, 2, 1: i changes places with
// N(2, 3 - i, i + 1). One whose range is as below is left out; the others'
// draws stay theirs. With gray = floor(0.2989 r + 0.587 g + 0.114 b), f being
// the factor and h being 1 - factor, each as a float:
//   brightness: v f to a byte; bit for bit
//   contrast:   v f + mean(gray) h to a byte; one level
//   saturation: v f + gray h to a byte; one level
//   hue:        the angle of HSV, plus the factor times 360 degrees; the value
//               times 255.999 / 255 to a byte; one level
struct ColorJitter {
  DrawnRange brightness = {1, 1};  // from 0 on
  DrawnRange contrast = {1, 1};
  DrawnRange saturation = {1, 1};
  DrawnRange hue = {0, 0};  // -0.5 to 0.5
  double probability = 1;
};

// All three channels become gray, as above; one level.
struct RandomGrayscale {
  double probability = 0.1;
};

// 255 - v.
struct RandomInvert {
  double probability = 0.5;
};

// The highest bits stay, others become 0.
struct RandomPosterize {
  std::uint32_t bits = 4;  // 0 to 8
  double probability = 0.5;
};

// 255 - v where v >= threshold.
struct RandomSolarize {
  double threshold = 128;  // 0 to 255
  double probability = 0.5;
};

// Each channel's least value becomes 0 and its greatest 255: (v - least) /
// ((greatest - least) (1 / 255)) to a byte, in floats. One that is constant
// stays.
struct RandomAutocontrast {
  double probability = 0.5;
};

// Each channel's histogram made even, in Pillow's integers: v becomes
// (pixels below v + step / 2) / step, at most 255; step is the number of pixels
// below the channel's greatest value, / 255. Where that is 0 the channel stays.
struct RandomEqualize {
  double probability = 0.5;
};

// v + (1 - factor) (soft - v) to a byte; one level. soft is the rounded mean of
// the 3 x 3 neighbours, the pixel itself five times. The border stays, and so
// do images of a side below 3.
struct RandomAdjustSharpness {
  double factor = 2;  // 0: soft; 1: as it is; 0 to 1e6
  double probability = 0.5;
};

// A Gaussian of U(0, 1) in the range of sigma, cut to kernel_width x
// kernel_height values, mirrored at the borders without repeating them; rounded
// to the nearest, halves to even; one level. Images no larger than the kernel's
// half are an error in torchvision; here they are mirrored again.
struct GaussianBlur {
  std::uint32_t kernel_width = 23;  // odd, 1 to 255
  std::uint32_t kernel_height = 23;
  DrawnRange sigma = {0.1, 2};  // 0.01 to 1000
  double probability = 1;
};

// A box becomes `value`. Try t of ten, draw 1 + t: its area is the image's
// times U(1 + t, 0) in the range of scale, its ratio, the logarithm even, by
// U(1 + t, 1); height = round(sqrt(area ratio)), width = round(sqrt(area /
// ratio)), halves to even. The first that is smaller than the image both ways
// begins at row N(1 + t, 2, image height - height + 1) and column
// N(1 + t, 3, image width - width + 1). If none is, nothing is erased.
struct RandomErasing {
  double probability = 0.5;
  DrawnRange scale = {0.02, 0.33};  // of the image's area; 0 to 1
  DrawnRange ratio = {0.3, 3.3};    // height / width
  std::array<std::uint8_t, 3> value = {0, 0, 0};
};

// DeVries and Taylor's: the square from centre - side / 2 to before
// centre + side / 2, both ways, becomes `value`, as far as it is in the image.
// The centre is column N(1, 0, width), row N(1, 1, height).
struct Cutout {
  std::uint32_t side = 16;  // 0 to 65,535
  std::array<std::uint8_t, 3> value = {0, 0, 0};
  double probability = 1;
};

// AlexNet's colours of principal components (Krizhevsky 2012, with the numbers
// of fb.resnet.torch): to each value of channel c is added 255 sum_i
// vector[c][i] value[i] a[i], rounded to the nearest, halves to even, clamped.
// a[i] is normal, of that deviation: the quantile (Acklam's, within 1.2e-9) of
// (word i of draw 1 + 1/2) / 2^32.
struct Lighting {
  double deviation = 0.1;  // 0 to 100
  double probability = 1;
};

// The floats (value - mean) / std by channel, values being 0 to 255.
struct Normalize {
  std::array<float, 3> mean = {0, 0, 0};
  std::array<float, 3> std = {1, 1, 1};

  friend bool operator==(const Normalize&, const Normalize&) = default;
};

}  // namespace shardine

#endif  // SHARDINE_PIXEL_OPERATIONS_H_
