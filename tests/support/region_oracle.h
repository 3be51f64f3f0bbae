// Regions of JPEGs compared with libjpeg-turbo's full decode, at every level of
// vector instructions.
#ifndef SHARDINE_TESTS_SUPPORT_REGION_ORACLE_H_
#define SHARDINE_TESTS_SUPPORT_REGION_ORACLE_H_

#include <cstring>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "image/image_checker.h"
#include "image/image_decoder.h"
#include "image/jpeg_decode.h"
#include "pixels/buffer_sink.h"
#include "support/simd_levels.h"

namespace shardine {

inline bool IsPartOf(const PixelBuffer& whole, const Region& box,
                     const PixelBuffer& part) {
  const std::size_t channels = whole.channels();
  if (part.size() != PixelSize{box.width, box.height} ||
      part.channels() != channels) {
    return false;
  }
  for (std::uint32_t y = 0; y < box.height; ++y) {
    if (std::memcmp(whole.view().row(box.y + y) + box.x * channels,
                    part.view().row(y), box.width * channels) != 0) {
      return false;
    }
  }
  return true;
}

inline std::string ToText(const Region& box) {
  return std::to_string(box.width) + "x" + std::to_string(box.height) + "+" +
         std::to_string(box.x) + "+" + std::to_string(box.y);
}

// The whole, the corners, single pixels, rows and columns, and any others.
inline std::vector<Region> BoxesOf(PixelSize size, std::size_t count,
                                   std::uint32_t seed) {
  std::mt19937 random(seed);
  const auto [w, h] = size;
  const auto below = [&](std::uint32_t end) {
    return static_cast<std::uint32_t>(random() % end);
  };
  const std::uint32_t x = below(w);
  const std::uint32_t y = below(h);
  std::vector<Region> boxes = {
      {0, 0, w, h},         {0, 0, x + 1, y + 1}, {x, y, w - x, h - y},
      {0, y, x + 1, h - y}, {x, 0, w - x, y + 1}, {x, y, 1, 1},
      {w - 1, h - 1, 1, 1}, {0, 0, 1, 1},         {0, y, w, 1},
      {x, 0, 1, h},         {0, h - 1, w, 1},     {w - 1, 0, 1, h}};
  while (boxes.size() < count) {
    Region box{below(w), below(h), 0, 0};
    box.width = 1 + below(w - box.x);
    box.height = 1 + below(h - box.y);
    boxes.push_back(box);
  }
  boxes.resize(count);
  return boxes;
}

// libjpeg-turbo's full decode of a JPEG.
class RegionOracle {
 public:
  explicit RegionOracle(ByteView jpeg, const DecodeLimits& limits = {})
      : jpeg_(jpeg), limits_(limits), sink_(pixels_), decoded_(Decode()) {}

  bool decodes() const { return decoded_.ok(); }
  bool clean() const { return decoded_.ok() && decoded_->empty(); }
  // REQUIRES of all below: it decodes.
  const PixelBuffer& pixels() const { return pixels_; }
  PixelSize size() const { return pixels_.size(); }

  // The fault of a verdict on it at kDecode whose header was good. Empty: none.
  std::string FaultOf(const ImageVerdict& verdict) const {
    ImageVerdict expected;
    JudgeDecode(decoded_, expected);
    if (verdict.reason == expected.reason && verdict.detail == expected.detail)
      return "";
    return "\"" + verdict.reason + ", " + verdict.detail + "\", not \"" +
           expected.reason + ", " + expected.detail + "\"";
  }

  // The fault of the whole image as ImageDecoder has it. Empty: none.
  std::string FaultOfWhole(ImageDecoder& decoder, ByteView entry_points) const {
    PixelBuffer whole;
    BufferSink sink(whole);
    if (!decoder.Open(jpeg_, {.limits = limits_}, entry_points).ok())
      return "not opened";
    const auto decoded = decoder.Decode(sink);
    if (decoded.ok() != decoded_.ok()) return "decoded, or not, unlike libjpeg";
    if (!decoded.ok()) return "";
    if (*decoded != *decoded_) return "other warnings than libjpeg's";
    const auto [width, height] = size();
    return IsPartOf(pixels_, {0, 0, width, height}, whole)
               ? ""
               : "other pixels than libjpeg's";
  }

  // The fault of a region. Damage elsewhere does not matter to it.
  std::string FaultOfRegion(ImageDecoder& decoder, const Region& box,
                            ByteView entry_points) const {
    PixelBuffer part;
    BufferSink sink(part);
    if (!decoder.Open(jpeg_, {.limits = limits_}, entry_points).ok())
      return "not opened";
    const auto decoded = decoder.DecodeRegion(box, sink);
    std::string fault;
    if (!decoded.ok()) {
      fault = decoded.status().ToString();
    } else if (clean() && !decoded->empty()) {
      fault = "warned of " + decoded->front().text;
    } else if (!IsPartOf(pixels_, box, part)) {
      fault = "other pixels than libjpeg's";
    }
    if (fault.empty()) return "";
    return fault + " at " + std::string(ToString(CurrentSimdLevel())) + " in " +
           ToText(box) + (entry_points.empty() ? "" : " by entry points");
  }

 private:
  Result<std::vector<DecodeWarning>> Decode() {
    return DecodeJpeg(jpeg_, limits_, {}, sink_);
  }

  ByteView jpeg_;
  DecodeLimits limits_;
  PixelBuffer pixels_;
  BufferSink sink_;
  Result<std::vector<DecodeWarning>> decoded_;
};

inline std::string EntryPointsOf(ByteView jpeg) {
  return ImageChecker({.level = ImageCheck::kNone, .find_entry_points = true})
      .Check(jpeg)
      .entry_points;
}

}  // namespace shardine

#endif  // SHARDINE_TESTS_SUPPORT_REGION_ORACLE_H_
