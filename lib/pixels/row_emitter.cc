#include "pixels/row_emitter.h"

#include <algorithm>
#include <string>

#include "pixels/color_convert.h"

namespace shardine {
namespace {

std::uint8_t* Bytes(ByteBuffer& buffer) {
  return reinterpret_cast<std::uint8_t*>(buffer.data());
}

std::uint8_t ChannelsFor(ColorMode color, StoredColor stored) {
  switch (color) {
    case ColorMode::kColor:
      return 3;
    case ColorMode::kGray:
      return 1;
    case ColorMode::kKeep:
      break;
  }
  return stored == StoredColor::kGray ? 1 : 3;
}

}  // namespace

Status RowEmitter::Begin(PixelSize size, StoredColor stored, std::uint32_t rows,
                         std::uint64_t max_memory) {
  size_ = size;
  stored_ = static_cast<std::uint8_t>(stored);
  channels_ = ChannelsFor(color_.mode, stored);
  const std::uint64_t pixels =
      std::uint64_t{size.width} * std::min(rows, size.height);
  if (pixels * (stored_ + 3U) > max_memory) {
    return Status(
        Code::kUnsupported,
        "decoding needs more than " + std::to_string(max_memory) + " bytes");
  }
  return sink_.Begin(size, channels_);
}

std::uint8_t* RowEmitter::Room(std::uint32_t count) {
  room_ = stored_ == channels_ ? sink_.Room(count) : nullptr;
  if (room_ == nullptr) {
    rows_.Resize(stride() * count);
    room_ = Bytes(rows_);
  }
  return room_;
}

void RowEmitter::Emit(std::uint32_t count) {
  const std::uint8_t* rows = stored_ == channels_ ? room_ : Convert(count);
  sink_.TakeRows(rows, std::size_t{size_.width} * channels_, count);
}

std::uint8_t* RowEmitter::Convert(std::uint32_t count) {
  const std::size_t pixels = std::size_t{size_.width} * count;
  std::uint8_t* to = sink_.Room(count);
  if (to == nullptr) {
    converted_.Resize(pixels * channels_);
    to = Bytes(converted_);
  }
  if (stored_ == 1) {
    GrayToRgb(room_, to, pixels);
  } else if (stored_ == 3) {
    const bool pillow = color_.gray == ColorRule::kPillow;
    (pillow ? RgbToGray : OpenCvRgbToGray)(room_, to, pixels);
  } else if (channels_ == 3) {
    const bool pillow = color_.samples == ColorRule::kPillow;
    (pillow ? CmykToRgb : OpenCvCmykToRgb)(room_, to, pixels);
  } else if (color_.gray == ColorRule::kOpenCv) {
    OpenCvCmykToGray(room_, to, pixels);
  } else {
    CmykToGray(to, count);
  }
  return to;
}

void RowEmitter::CmykToGray(std::uint8_t* to, std::uint32_t count) {
  const bool pillow = color_.samples == ColorRule::kPillow;
  rgb_.Resize(std::size_t{size_.width} * 3);
  for (std::uint32_t y = 0; y < count; ++y) {
    (pillow ? CmykToRgb : OpenCvCmykToRgb)(room_ + stride() * y, Bytes(rgb_),
                                           size_.width);
    RgbToGray(Bytes(rgb_), to + std::size_t{size_.width} * y, size_.width);
  }
}

}  // namespace shardine
