#include "jpeg/jpeg_frame.h"

#include <algorithm>
#include <optional>
#include <string_view>

namespace shardine {
namespace {

enum Marker : std::uint8_t {
  kSof0 = 0xC0,
  kSof1 = 0xC1,
  kDht = 0xC4,
  kSoi = 0xD8,
  kSos = 0xDA,
  kDqt = 0xDB,
  kDri = 0xDD,
  kApp0 = 0xE0,
  kApp14 = 0xEE,
  kApp15 = 0xEF,
  kCom = 0xFE,
};

// JPEG_MAX_DIMENSION, beyond which libjpeg refuses.
constexpr std::uint32_t kMaxSide = 65500;
constexpr std::size_t kTables = 4;

bool Read8(ByteCursor& from, std::uint8_t& value) { return from.Read(value); }

bool Read16(ByteCursor& from, std::uint16_t& value) {
  ByteView bytes;
  if (!from.ReadBytes(2, bytes)) return false;
  value = static_cast<std::uint16_t>(std::to_integer<unsigned>(bytes[0]) << 8 |
                                     std::to_integer<unsigned>(bytes[1]));
  return true;
}

std::uint32_t DivideUp(std::uint32_t value, std::uint32_t by) {
  return (value + by - 1) / by;
}

// True if a table meets the demands of jpeg_make_d_derived_tbl when a scan uses
// it. One without codes passes there; nothing can be coded with it.
bool IsUsable(const HuffmanSpec& table, bool dc) {
  std::uint32_t next = 0;
  std::uint32_t symbols = 0;
  for (std::uint32_t length = 1; length <= 16; ++length) {
    next += table.counts[length];
    symbols += table.counts[length];
    if (table.counts[length] > 0 && next >= 1u << length) return false;
    next <<= 1;
  }
  if (symbols == 0 || symbols > table.symbols.size()) return false;
  return !dc ||
         std::all_of(table.symbols.begin(), table.symbols.begin() + symbols,
                     [](std::uint8_t symbol) { return symbol <= 15; });
}

class FrameReader {
 public:
  FrameReader(ByteView jpeg, JpegFrame& frame) : file_(jpeg), frame_(frame) {}

  bool Read();

 private:
  bool ReadMarker(std::uint8_t& marker);
  bool TakeSegment(std::uint8_t marker, ByteView payload);
  bool TakeApplicationData(std::uint8_t marker, ByteView payload);
  bool TakeQuantTables(ByteCursor payload);
  bool TakeHuffmanTables(ByteCursor payload);
  bool TakeRestartInterval(ByteCursor payload);
  bool TakeFrameHeader(ByteCursor payload);
  bool TakeScanHeader(ByteCursor payload);
  bool TakeScanComponent(ByteCursor& payload, std::size_t number);
  bool TakeSampling();
  bool IsYcc() const;
  void LayOut();

  ByteCursor file_;
  JpegFrame& frame_;
  std::array<std::uint8_t, kMaxComponents> ids_{};
  std::array<bool, kTables> has_quant_{};
  std::array<bool, kTables> has_dc_{};
  std::array<bool, kTables> has_ac_{};
  bool has_jfif_ = false;
  std::optional<std::uint8_t> adobe_transform_;
};

bool FrameReader::Read() {
  frame_ = {};
  std::uint16_t start = 0;
  if (!Read16(file_, start) || start != (0xFF00 | kSoi)) return false;
  for (;;) {
    std::uint8_t marker = 0;
    std::uint16_t length = 0;
    ByteView payload;
    if (!ReadMarker(marker) || !Read16(file_, length) || length < 2 ||
        !file_.ReadBytes(length - 2u, payload)) {
      return false;
    }
    if (marker == kSos) return TakeScanHeader(ByteCursor(payload));
    if (!TakeSegment(marker, payload)) return false;
  }
}

// FFs that fill up the space before a marker are no "extraneous bytes" to
// libjpeg; all others are.
bool FrameReader::ReadMarker(std::uint8_t& marker) {
  if (!Read8(file_, marker) || marker != 0xFF) return false;
  while (marker == 0xFF) {
    if (!Read8(file_, marker)) return false;
  }
  return marker != 0;
}

bool FrameReader::TakeSegment(std::uint8_t marker, ByteView payload) {
  switch (marker) {
    case kSof0:
    case kSof1:
      return TakeFrameHeader(ByteCursor(payload));
    case kDht:
      return TakeHuffmanTables(ByteCursor(payload));
    case kDqt:
      return TakeQuantTables(ByteCursor(payload));
    case kDri:
      return TakeRestartInterval(ByteCursor(payload));
    case kCom:
      return true;
    default:
      return marker >= kApp0 && marker <= kApp15 &&
             TakeApplicationData(marker, payload);
  }
}

bool FrameReader::TakeApplicationData(std::uint8_t marker, ByteView payload) {
  using namespace std::string_view_literals;
  const std::string_view text = AsText(payload);
  if (marker == kApp0 && text.size() >= 14 && text.starts_with("JFIF\0"sv)) {
    has_jfif_ = true;
    // libjpeg warns of another major version (JWRN_JFIF_MAJOR).
    return text[5] == 1;
  }
  if (marker == kApp14 && text.size() >= 12 && text.starts_with("Adobe"sv)) {
    adobe_transform_ = static_cast<std::uint8_t>(text[11]);
  }
  return true;
}

bool FrameReader::TakeQuantTables(ByteCursor payload) {
  while (!payload.done()) {
    std::uint8_t head = 0;
    if (!Read8(payload, head) || head >> 4 > 1 || (head & 15) >= kTables) {
      return false;
    }
    has_quant_[head & 15u] = true;
    for (std::uint16_t& step : frame_.quant[head & 15u]) {
      std::uint8_t byte = 0;
      if (head >> 4 == 1 ? !Read16(payload, step) : !Read8(payload, byte)) {
        return false;
      }
      if (head >> 4 == 0) step = byte;
    }
  }
  return true;
}

bool FrameReader::TakeHuffmanTables(ByteCursor payload) {
  while (!payload.done()) {
    std::uint8_t head = 0;
    if (!Read8(payload, head) || head >> 4 > 1 || (head & 15) >= kTables) {
      return false;
    }
    const bool dc = head >> 4 == 0;
    (dc ? has_dc_ : has_ac_)[head & 15u] = true;
    HuffmanSpec& table = (dc ? frame_.dc : frame_.ac)[head & 15u];
    table = {};
    std::size_t symbols = 0;
    for (std::size_t length = 1; length <= 16; ++length) {
      if (!Read8(payload, table.counts[length])) return false;
      symbols += table.counts[length];
    }
    ByteView bytes;
    if (symbols > table.symbols.size() || !payload.ReadBytes(symbols, bytes)) {
      return false;
    }
    std::transform(
        bytes.begin(), bytes.end(), table.symbols.begin(),
        [](std::byte byte) { return std::to_integer<std::uint8_t>(byte); });
  }
  return true;
}

bool FrameReader::TakeRestartInterval(ByteCursor payload) {
  std::uint16_t interval = 0;
  if (!Read16(payload, interval) || !payload.done()) return false;
  frame_.restart_interval = interval;
  return true;
}

bool FrameReader::TakeFrameHeader(ByteCursor payload) {
  std::uint8_t precision = 0;
  std::uint16_t height = 0;
  std::uint16_t width = 0;
  std::uint8_t components = 0;
  // A second frame header is refused by libjpeg as well. A height of 0, left to
  // a DNL marker, is one that it does not decode.
  if (frame_.components != 0 || !Read8(payload, precision) ||
      !Read16(payload, height) || !Read16(payload, width) ||
      !Read8(payload, components)) {
    return false;
  }
  if (precision != 8 || height == 0 || height > kMaxSide || width == 0 ||
      width > kMaxSide || (components != 1 && components != 3)) {
    return false;
  }
  frame_.width = width;
  frame_.height = height;
  frame_.components = components;
  for (std::size_t i = 0; i < components; ++i) {
    FrameComponent& component = frame_.component[i];
    std::uint8_t sampling = 0;
    if (!Read8(payload, ids_[i]) || !Read8(payload, sampling) ||
        !Read8(payload, component.quant_table)) {
      return false;
    }
    component.h = sampling >> 4;
    component.v = sampling & 15;
  }
  return payload.done() && TakeSampling();
}

bool FrameReader::TakeSampling() {
  FrameComponent& luma = frame_.component[0];
  if (frame_.components == 1) {
    // The sampling of a single component means nothing.
    const bool legal = luma.h >= 1 && luma.h <= 4 && luma.v >= 1 && luma.v <= 4;
    luma.h = luma.v = 1;
    return legal;
  }
  frame_.max_h = luma.h;
  frame_.max_v = luma.v;
  return luma.h >= 1 && luma.h <= 2 && luma.v >= 1 && luma.v <= 2 &&
         std::all_of(frame_.component.begin() + 1, frame_.component.end(),
                     [](const FrameComponent& chroma) {
                       return chroma.h == 1 && chroma.v == 1;
                     });
}

bool FrameReader::TakeScanHeader(ByteCursor payload) {
  std::uint8_t components = 0;
  if (frame_.components == 0 || !Read8(payload, components) ||
      components != frame_.components) {
    return false;
  }
  for (std::size_t i = 0; i < components; ++i) {
    if (!TakeScanComponent(payload, i)) return false;
  }
  std::uint8_t first = 0;
  std::uint8_t last = 0;
  std::uint8_t approximation = 0;
  if (!Read8(payload, first) || !Read8(payload, last) ||
      !Read8(payload, approximation) || !payload.done()) {
    return false;
  }
  if (first != 0 || last != 63 || approximation != 0 || !IsYcc()) return false;
  frame_.scan = file_.position();
  LayOut();
  return true;
}

bool FrameReader::TakeScanComponent(ByteCursor& payload, std::size_t number) {
  FrameComponent& component = frame_.component[number];
  std::uint8_t id = 0;
  std::uint8_t tables = 0;
  if (!Read8(payload, id) || !Read8(payload, tables)) return false;
  component.dc_table = tables >> 4;
  component.ac_table = tables & 15;
  // Equal ids, and components in another order than the frame has, are taken in
  // a way of libjpeg's own: both are left to it. Tables may come more than
  // once, before the frame or after it; here it is known which ones count, the
  // last before the scan.
  const auto ids_before = ids_.begin() + static_cast<std::ptrdiff_t>(number);
  return id == ids_[number] &&
         std::find(ids_.begin(), ids_before, id) == ids_before &&
         component.quant_table < kTables && has_quant_[component.quant_table] &&
         component.dc_table < kTables && has_dc_[component.dc_table] &&
         IsUsable(frame_.dc[component.dc_table], true) &&
         component.ac_table < kTables && has_ac_[component.ac_table] &&
         IsUsable(frame_.ac[component.ac_table], false);
}

// The colors are those that libjpeg's default_decompress_parms decides for.
bool FrameReader::IsYcc() const {
  if (frame_.components == 1 || has_jfif_) return true;
  if (adobe_transform_) return *adobe_transform_ == 1;
  return ids_ != std::array<std::uint8_t, kMaxComponents>{'R', 'G', 'B'};
}

// Blocks of an MCU come component by component, row by row (T.81, A.2.3).
void FrameReader::LayOut() {
  frame_.mcus_across = DivideUp(frame_.width, frame_.mcu_width());
  frame_.mcus_down = DivideUp(frame_.height, frame_.mcu_height());
  for (std::size_t i = 0; i < frame_.components; ++i) {
    FrameComponent& component = frame_.component[i];
    component.width = DivideUp(frame_.width * component.h, frame_.max_h);
    component.height = DivideUp(frame_.height * component.v, frame_.max_v);
    for (std::uint8_t y = 0; y < component.v; ++y) {
      for (std::uint8_t x = 0; x < component.h; ++x) {
        frame_.mcu_block[frame_.blocks_per_mcu++] = {
            static_cast<std::uint8_t>(i), x, y};
      }
    }
  }
}

}  // namespace

bool ReadJpegFrame(ByteView jpeg, JpegFrame& frame) {
  return FrameReader(jpeg, frame).Read();
}

}  // namespace shardine
