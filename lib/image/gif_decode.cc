#include "image/gif_decode.h"

#include <gif_lib.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/status_macros.h"
#include "image/library_image.h"

namespace shardine {
namespace {

constexpr std::size_t kScreenEnd = 13;
constexpr std::size_t kFrameHeader = 9;  // after its separator
constexpr int kExtension = 0x21;
constexpr int kFrame = 0x2C;

// Bytes of the palette that a field of flags announces.
std::size_t PaletteBytes(unsigned flags) {
  return (flags & 0x80U) != 0 ? std::size_t{3} << ((flags & 7U) + 1) : 0;
}

// Walks the blocks of a GIF up to the end of its first frame.
class GifWalk {
 public:
  explicit GifWalk(ByteView gif) : gif_(gif) {}

  // Fills facts and problem.
  void Probe(ProbeResult& result);

 private:
  unsigned At(std::size_t at) const {
    return std::to_integer<unsigned>(gif_[at]);
  }
  bool Skip(std::size_t bytes) {
    if (bytes > gif_.size() - at_) return false;
    at_ += bytes;
    return true;
  }
  bool SkipSubBlocks();
  bool FindFrame(ProbeResult& result);

  ByteView gif_;
  std::size_t at_ = 0;
};

bool GifWalk::SkipSubBlocks() {
  while (at_ < gif_.size()) {
    const std::size_t size = At(at_++);
    if (size == 0) return true;
    if (!Skip(size)) return false;
  }
  return false;
}

// False: the bytes end before it, or another block begins.
bool GifWalk::FindFrame(ProbeResult& result) {
  while (at_ < gif_.size()) {
    const unsigned block = At(at_);
    if (block == kFrame) return gif_.size() - at_ > kFrameHeader;
    if (block != kExtension) {
      result.problem = ImageProblem::kBadHeader;
      result.detail = "a GIF without a frame";
      result.offset = at_;
      return false;
    }
    if (!Skip(2) || !SkipSubBlocks()) return false;
  }
  return false;
}

void GifWalk::Probe(ProbeResult& result) {
  result.facts.kind = ImageKind::kGif;
  result.facts.bits = 8;
  result.problem = ImageProblem::kNoEndMarker;
  result.detail = "ends before the end of its first frame";
  result.offset = gif_.size();
  if (!Skip(kScreenEnd) || !Skip(PaletteBytes(At(10))) || !FindFrame(result)) {
    return;
  }
  const auto word = [&](std::size_t at) {
    return std::uint32_t{LoadLe<std::uint16_t>(gif_.data() + at)};
  };
  const std::uint32_t width = word(at_ + 5);
  const std::uint32_t height = word(at_ + 7);
  if (width == 0 || height == 0) {
    result.problem = ImageProblem::kBadHeader;
    result.detail = "has no pixels";
    result.offset = at_;
    return;
  }
  result.facts.width = std::max(word(6), word(at_ + 1) + width);
  result.facts.height = std::max(word(8), word(at_ + 3) + height);
  result.facts.components = 3;
  const unsigned flags = At(at_ + kFrameHeader);
  at_ += 1 + kFrameHeader;
  // The size of the first codes stands before the data.
  if (!Skip(PaletteBytes(flags)) || !Skip(1) || !SkipSubBlocks()) return;
  result.problem = ImageProblem::kNone;
  result.detail.clear();
  result.offset = 0;
  result.end_marker = true;
}

struct GifClose {
  void operator()(GifFileType* gif) const {
    int error = 0;
    DGifCloseFile(gif, &error);
  }
};

int ReadGifBytes(GifFileType* gif, GifByteType* to, int count) {
  auto& rest = *static_cast<ByteView*>(gif->UserData);
  const std::size_t size =
      std::min(rest.size(), static_cast<std::size_t>(count));
  if (size > 0) std::memcpy(to, rest.data(), size);
  rest = rest.subspan(size);
  return static_cast<int>(size);
}

Status GifFault(const GifFileType* gif, int error = 0) {
  const char* const text = GifErrorString(gif != nullptr ? gif->Error : error);
  return Status(Code::kCorrupt,
                std::string("GIF: ") + (text != nullptr ? text : "damaged"));
}

// The decoder at the data of the first frame.
class FirstFrame {
 public:
  Status Open(ByteView gif);
  bool IsWithin(PixelSize size) const {
    const GifImageDesc& frame = gif_->Image;
    return frame.Left >= 0 && frame.Top >= 0 && frame.Width > 0 &&
           frame.Height > 0 &&
           std::int64_t{frame.Left} + frame.Width <= size.width &&
           std::int64_t{frame.Top} + frame.Height <= size.height;
  }
  // REQUIRES: IsWithin(pixels.size()).
  Status Decode(PixelBuffer& pixels);

 private:
  Status TakeExtension();
  void FillPalette();
  Status DecodeRow(std::uint32_t y, PixelBuffer& pixels);

  ByteView rest_;
  std::unique_ptr<GifFileType, GifClose> gif_;
  std::optional<std::uint8_t> transparent_;
  std::array<std::uint8_t, 3 * 256> palette_{};
  std::vector<GifByteType> indices_;
};

Status FirstFrame::TakeExtension() {
  int code = 0;
  GifByteType* data = nullptr;
  if (DGifGetExtension(gif_.get(), &code, &data) == GIF_ERROR) {
    return GifFault(gif_.get());
  }
  if (code == GRAPHICS_EXT_FUNC_CODE && data != nullptr && data[0] >= 4) {
    transparent_.reset();
    if ((data[1] & 1U) != 0) transparent_ = data[4];
  }
  while (data != nullptr) {
    if (DGifGetExtensionNext(gif_.get(), &data) == GIF_ERROR) {
      return GifFault(gif_.get());
    }
  }
  return {};
}

Status FirstFrame::Open(ByteView gif) {
  rest_ = gif;
  int error = 0;
  gif_.reset(DGifOpen(&rest_, ReadGifBytes, &error));
  if (gif_ == nullptr) return GifFault(nullptr, error);
  GifRecordType record = UNDEFINED_RECORD_TYPE;
  while (record != IMAGE_DESC_RECORD_TYPE) {
    if (DGifGetRecordType(gif_.get(), &record) == GIF_ERROR) {
      return GifFault(gif_.get());
    }
    if (record == EXTENSION_RECORD_TYPE) {
      SHARDINE_RETURN_IF_ERROR(TakeExtension());
    } else if (record != IMAGE_DESC_RECORD_TYPE) {
      return Status(Code::kCorrupt, "a GIF without a frame");
    }
  }
  if (DGifGetImageDesc(gif_.get()) == GIF_ERROR) return GifFault(gif_.get());
  FillPalette();
  return {};
}

void FirstFrame::FillPalette() {
  const ColorMapObject* const colors =
      gif_->Image.ColorMap != nullptr ? gif_->Image.ColorMap : gif_->SColorMap;
  for (std::size_t i = 0; i < 256; ++i) {
    std::uint8_t* const to = palette_.data() + 3 * i;
    if (colors == nullptr) {
      std::memset(to, static_cast<int>(i), 3);
    } else if (std::cmp_less(i, colors->ColorCount)) {
      const GifColorType& color = colors->Colors[i];
      to[0] = color.Red;
      to[1] = color.Green;
      to[2] = color.Blue;
    }
  }
}

Status FirstFrame::DecodeRow(std::uint32_t y, PixelBuffer& pixels) {
  if (DGifGetLine(gif_.get(), indices_.data(),
                  static_cast<int>(indices_.size())) == GIF_ERROR) {
    return GifFault(gif_.get());
  }
  const auto left = static_cast<std::size_t>(gif_->Image.Left);
  std::uint8_t* to = pixels.row(y) + 3 * left;
  for (const GifByteType index : indices_) {
    std::memcpy(to, palette_.data() + std::size_t{3} * index, 3);
    to += 3;
  }
  return {};
}

Status FirstFrame::Decode(PixelBuffer& pixels) {
  const PixelSize size = pixels.size();
  const std::uint8_t* const around =
      palette_.data() + std::size_t{3} * transparent_.value_or(0);
  std::uint8_t* to = pixels.data();
  const std::size_t count = std::size_t{size.width} * size.height;
  for (std::size_t i = 0; i < count; ++i, to += 3) std::memcpy(to, around, 3);
  const GifImageDesc& frame = gif_->Image;
  indices_.resize(static_cast<std::size_t>(frame.Width));
  const auto top = static_cast<std::uint32_t>(frame.Top);
  const auto height = static_cast<std::uint32_t>(frame.Height);
  struct Pass {
    std::uint32_t first;
    std::uint32_t step;
  };
  constexpr Pass kPasses[] = {{0, 8}, {4, 8}, {2, 4}, {1, 2}};
  constexpr Pass kOnce[] = {{0, 1}};
  for (const Pass& pass : frame.Interlace ? std::span<const Pass>(kPasses)
                                          : std::span<const Pass>(kOnce)) {
    for (std::uint32_t y = pass.first; y < height; y += pass.step) {
      SHARDINE_RETURN_IF_ERROR(DecodeRow(top + y, pixels));
    }
  }
  return {};
}

}  // namespace

ProbeResult ProbeGif(ByteView gif) {
  ProbeResult result;
  GifWalk(gif).Probe(result);
  return result;
}

Status DecodeGif(ByteView gif, const DecodeLimits& limits,
                 PixelBuffer& pixels) {
  const ProbeResult probe = ProbeGif(gif);
  if (probe.problem != ImageProblem::kNone) {
    return Status(Code::kCorrupt, probe.detail).At({.offset = probe.offset});
  }
  const PixelSize size = {probe.facts.width, probe.facts.height};
  SHARDINE_RETURN_IF_ERROR(CheckPixelCost(size, {}, gif.size(), limits));
  FirstFrame frame;
  SHARDINE_RETURN_IF_ERROR(frame.Open(gif));
  if (!frame.IsWithin(size)) {
    return Status(Code::kCorrupt, "GIF: a frame of another size");
  }
  pixels.Reset(size, 3);
  return frame.Decode(pixels);
}

}  // namespace shardine
