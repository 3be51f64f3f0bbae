#include "pixels/record_normalizer.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <type_traits>
#include <variant>

#include "base/check.h"
#include "pixels/half_float.h"

namespace shardine {
namespace {

template <typename T>
T Stored(float value) {
  if constexpr (std::is_same_v<T, float>) return value;
  return static_cast<T>(HalfBits(value));
}

// (v - mean) factor + shift, each step rounded.
struct Line {
  float mean;
  float factor;
  float shift;

  float operator()(std::uint8_t value, float less) const {
    return (static_cast<float>(value) - less) * factor + shift;
  }
};

}  // namespace

const ImageRecordNormalize* RecordNormalizeOf(const Transform& transform) {
  return transform.operations.empty()
             ? nullptr
             : std::get_if<ImageRecordNormalize>(&transform.operations.back());
}

Status CheckRecordNormalize(const PixelFormat& format,
                            const ImageRecordNormalize& normalize,
                            PixelSize images) {
  const auto invalid = [](const std::string& why) {
    return Status(Code::kInvalidArgument, "ImageRecordNormalize: " + why);
  };
  if (format.type == PixelType::kUint8) {
    return invalid(
        "bytes stay as they are; it is for pixels of type float32 or float16");
  }
  const auto& mean = normalize.mean;
  if (std::ranges::all_of(mean, [](float m) { return m > 0 && m <= 1; })) {
    return invalid(
        "mean is for values from 0 to 1, but pixels are 0 to 255: give it "
        "times 255");
  }
  const auto& image = normalize.mean_image;
  const auto wanted = std::uint64_t{images.width} * images.height * 3;
  if (image != nullptr && image->size() != wanted) {
    return invalid("the mean image has " + std::to_string(image->size()) +
                   " values; images of 3 x " + std::to_string(images.height) +
                   " x " + std::to_string(images.width) + " need " +
                   std::to_string(wanted));
  }
  return {};
}

template <typename T>
void RecordNormalizer::Write(const PixelView& image, const RecordScale& scale,
                             T* out) const {
  const std::size_t width = image.size.width;
  const std::size_t height = image.size.height;
  const std::size_t count = width * height;
  const bool planar = format_.layout == PixelLayout::kNchw;
  const std::size_t step = planar ? 1 : 3;
  for (std::size_t c = 0; c < 3; ++c) {
    const Line line{normalize_.mean[c], scale.contrast / normalize_.std[c],
                    scale.illumination / normalize_.std[c]};
    const std::uint8_t* value = image.data + c;
    T* to = out + (planar ? c * count : c);
    if (normalize_.mean_image == nullptr) {
      std::array<T, 256> table;
      for (std::size_t i = 0; i < table.size(); ++i) {
        table[i] = Stored<T>(line(static_cast<std::uint8_t>(i), line.mean));
      }
      for (std::size_t i = 0; i < count; ++i)
        to[i * step] = table[value[3 * i]];
      continue;
    }
    const float* const plane = normalize_.mean_image->data() + c * count;
    for (std::size_t y = 0; y < height; ++y) {
      const float* const mean =
          plane + (scale.upside_down ? height - 1 - y : y) * width;
      for (std::size_t x = 0; x < width; ++x, value += 3, to += step) {
        *to = Stored<T>(line(*value, mean[scale.flipped ? width - 1 - x : x]));
      }
    }
  }
}

void RecordNormalizer::operator()(const PixelView& image,
                                  const RecordScale& scale,
                                  std::byte* out) const {
  SHARDINE_CHECK(image.channels == 3 &&
                 image.stride == std::size_t{image.size.width} * 3);
  if (format_.type == PixelType::kFloat16) {
    return Write(image, scale, reinterpret_cast<std::uint16_t*>(out));
  }
  Write(image, scale, reinterpret_cast<float*>(out));
}

}  // namespace shardine
