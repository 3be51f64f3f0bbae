#include "pixels/normalizer.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <string>
#include <type_traits>

#include "base/check.h"
#include "pixels/half_float.h"
#include "pixels/normalize_kernels.h"

namespace shardine {
namespace {

// The result for each value of each channel.
template <typename T>
using ValueTable = std::array<std::array<T, 256>, 3>;

// There are no more than 256 values of a channel, so each quotient is divided
// once, in the arithmetic that the header promises.
ValueTable<float> FloatTable(const Normalize& normalize) {
  ValueTable<float> table;
  for (std::size_t c = 0; c < 3; ++c) {
    for (std::size_t value = 0; value < 256; ++value) {
      const float less = static_cast<float>(value) - normalize.mean[c];
      table[c][value] = less / normalize.std[c];
    }
  }
  return table;
}

template <typename T>
ValueTable<T> TableOf(const Normalize& normalize) {
  if constexpr (std::is_same_v<T, float>) return FloatTable(normalize);
  ValueTable<T> table;
  const ValueTable<float> floats = FloatTable(normalize);
  for (std::size_t c = 0; c < 3; ++c) {
    for (std::size_t value = 0; value < 256; ++value) {
      table[c][value] = std::is_same_v<T, std::uint16_t>
                            ? static_cast<T>(HalfBits(floats[c][value]))
                            : static_cast<T>(value);
    }
  }
  return table;
}

ChannelScale ScaleOf(const Normalize& normalize) {
  ChannelScale scale{normalize.mean, normalize.std, {}};
  for (std::size_t c = 0; c < 3; ++c)
    scale.reciprocal[c] = 1 / normalize.std[c];
  return scale;
}

// Whether the kernels' quotients are those of the table, bit for bit.
// A quotient made of products is off in the last bit for a few divisors. With
// those the table does all pixels, so that no level gives other values.
bool MakesTable(const ChannelScale& scale, const ValueTable<float>& table) {
  for (std::size_t c = 0; c < 3; ++c) {
    const float reciprocal = scale.reciprocal[c];
    for (std::size_t i = 0; i < 256; ++i) {
      const float value = static_cast<float>(i) - scale.mean[c];
      const float quotient = value * reciprocal;
      const float rest = std::fma(-quotient, scale.std[c], value);
      const float made = std::fma(rest, reciprocal, quotient);
      if (std::bit_cast<std::uint32_t>(made) !=
          std::bit_cast<std::uint32_t>(table[c][i])) {
        return false;
      }
    }
  }
  return true;
}

}  // namespace

class Normalizer::Writer {
 public:
  virtual ~Writer() = default;
  // `count` pixels; planes begin `plane` values apart.
  virtual void Write(const std::uint8_t* rgb, std::size_t count, std::byte* out,
                     std::size_t plane) const = 0;
  PixelLayout layout = PixelLayout::kNhwc;
  std::size_t value_bytes = 1;
};

namespace {

template <typename T>
class TypedWriter final : public Normalizer::Writer {
 public:
  TypedWriter(const PixelFormat& format, const Normalize& normalize)
      : table_(TableOf<T>(normalize)),
        scale_(ScaleOf(normalize)),
        kernels_(VectorNormalizeKernels(
            std::is_same_v<T, std::uint8_t> ||
                    MakesTable(scale_, FloatTable(normalize))
                ? CurrentSimdLevel()
                : SimdLevel::kPortable)) {
    layout = format.layout;
    value_bytes = sizeof(T);
  }

  void Write(const std::uint8_t* rgb, std::size_t count, std::byte* out,
             std::size_t plane) const override {
    auto* values = reinterpret_cast<T*>(out);
    const bool planar = layout == PixelLayout::kNchw;
    const std::size_t pixel_step = planar ? 1 : 3;
    const std::size_t channel_step = planar ? plane : 1;
    std::size_t i =
        planar ? Planes(rgb, count, values, plane) : Pixels(rgb, count, values);
    for (; i < count; ++i) {
      T* pixel = values + i * pixel_step;
      pixel[0] = table_[0][rgb[3 * i]];
      pixel[channel_step] = table_[1][rgb[3 * i + 1]];
      pixel[2 * channel_step] = table_[2][rgb[3 * i + 2]];
    }
  }

 private:
  std::size_t Planes(const std::uint8_t* rgb, std::size_t count, T* out,
                     std::size_t plane) const {
    if constexpr (std::is_same_v<T, float>) {
      return kernels_.float_planes(rgb, count, scale_, out, plane);
    } else if constexpr (std::is_same_v<T, std::uint16_t>) {
      return kernels_.half_planes(rgb, count, scale_, out, plane);
    } else {
      return kernels_.byte_planes(rgb, count, out, plane);
    }
  }

  std::size_t Pixels(const std::uint8_t* rgb, std::size_t count, T* out) const {
    if constexpr (std::is_same_v<T, float>) {
      return kernels_.float_pixels(rgb, count, scale_, out);
    } else if constexpr (std::is_same_v<T, std::uint16_t>) {
      return kernels_.half_pixels(rgb, count, scale_, out);
    } else {
      std::copy_n(rgb, 3 * count, out);
      return count;
    }
  }

  const ValueTable<T> table_;
  const ChannelScale scale_;
  const NormalizeKernels kernels_;
};

std::unique_ptr<const Normalizer::Writer> MakeWriter(
    const PixelFormat& format, const Normalize& normalize) {
  switch (format.type) {
    case PixelType::kFloat32:
      return std::make_unique<TypedWriter<float>>(format, normalize);
    case PixelType::kFloat16:
      return std::make_unique<TypedWriter<std::uint16_t>>(format, normalize);
    case PixelType::kUint8:
      break;
  }
  return std::make_unique<TypedWriter<std::uint8_t>>(format, normalize);
}

using Channels = std::array<float, 3>;

constexpr Channels kNoMean = {0, 0, 0};
constexpr Channels kNoStd = {1, 1, 1};

bool IsForUnitScale(const Channels& values, const Channels& none) {
  return values != none && std::ranges::all_of(values, [](float value) {
           return value >= 0 && value <= 1;
         });
}

// "123.675, 116.28, 103.53", however the floats of 0.485 and so on are rounded.
std::string Times255(const Channels& values) {
  std::string text;
  for (const float value : values) {
    char number[32];
    const auto end =
        std::to_chars(number, number + sizeof(number), double{value} * 255,
                      std::chars_format::general, 6);
    text.append(text.empty() ? "" : ", ").append(number, end.ptr);
  }
  return text;
}

}  // namespace

Normalize NormalizeOf(const Transform& transform) {
  for (const PixelOperation& operation : transform.operations) {
    if (const auto* found = std::get_if<Normalize>(&operation)) return *found;
  }
  return {};
}

Status CheckNormalize(const PixelFormat& format, const Normalize& normalize) {
  if (format.type == PixelType::kUint8) return Status();
  for (const float mean : normalize.mean) {
    if (!std::isfinite(mean)) {
      return Status(Code::kInvalidArgument, "pixels: mean must be finite");
    }
  }
  for (const float std : normalize.std) {
    // The reciprocal of a subnormal number may be infinite.
    if (!std::isnormal(std) || std < 0) {
      return Status(Code::kInvalidArgument,
                    "pixels: std must be positive and finite");
    }
  }
  return Status();
}

// torchvision's numbers are for values from 0 to 1, as ToTensor() makes them:
// with pixels from 0 to 255 values are far off, and training goes on all the
// same.
Status CheckMeanAndStd(const PixelFormat& format, const Normalize& normalize) {
  if (normalize.mean == kNoMean && normalize.std == kNoStd) return Status();
  if (format.type == PixelType::kUint8) {
    return Status(Code::kInvalidArgument,
                  "mean, std: bytes stay as they are; both are for pixels of "
                  "type float32 or float16");
  }
  std::string meant;
  if (IsForUnitScale(normalize.mean, kNoMean)) {
    meant += " mean (" + Times255(normalize.mean) + ")";
  }
  if (IsForUnitScale(normalize.std, kNoStd)) {
    meant += " std (" + Times255(normalize.std) + ")";
  }
  if (meant.empty()) return Status();
  return Status(Code::kInvalidArgument,
                "mean, std: they are for values from 0 to 1, but pixels are 0 "
                "to 255; times 255:" +
                    meant);
}

bool KeepsPixels(const PixelFormat& format) {
  return format.type == PixelType::kUint8 &&
         format.layout == PixelLayout::kNhwc;
}

std::size_t BytesPerValue(PixelType type) {
  switch (type) {
    case PixelType::kFloat32:
      return 4;
    case PixelType::kFloat16:
      return 2;
    case PixelType::kUint8:
      break;
  }
  return 1;
}

Normalizer::Normalizer(const PixelFormat& format, const Normalize& normalize)
    : writer_(MakeWriter(format, normalize)) {
  SHARDINE_CHECK(CheckNormalize(format, normalize).ok());
}

Normalizer::~Normalizer() = default;

void Normalizer::operator()(const PixelView& image, std::byte* out) const {
  SHARDINE_CHECK(image.channels == 3);
  const std::size_t width = image.size.width;
  const std::size_t pixels = width * image.size.height;
  // In one call the rows' ends cut no vector short.
  if (image.stride == width * 3) {
    writer_->Write(image.data, pixels, out, pixels);
    return;
  }
  const std::size_t step =
      writer_->layout == PixelLayout::kNchw ? width : width * 3;
  for (std::uint32_t y = 0; y < image.size.height; ++y) {
    writer_->Write(image.row(y), width, out + y * step * writer_->value_bytes,
                   pixels);
  }
}

}  // namespace shardine
