// Any bytes as a JPEG, by our decoder and by libjpeg-turbo: the same pixels and
// the same warnings, or a refusal from both; regions, with entry points and
// without, are parts of the whole. The last bytes choose the regions, and the
// damage to the entry points: then a whole image is still right, and a region
// promises nothing but safe memory.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <span>
#include <string>

#include "base/simd_level.h"
#include "image/image_checker.h"
#include "image/image_decoder.h"
#include "image/image_kind.h"
#include "image/jpeg_decode.h"
#include "pixels/buffer_sink.h"
#include "support/region_oracle.h"

namespace {

using namespace shardine;

constexpr DecodeLimits kLimits = {
    .max_pixels = 1 << 16, .max_scans = 20, .max_memory = 16 << 20};
constexpr std::size_t kControlBytes = 8;

void Require(bool condition) {
  if (!condition) std::abort();
}

struct Controls {
  explicit Controls(std::span<const std::uint8_t> from) {
    std::memcpy(bytes, from.data(), kControlBytes);
  }
  Region Box(PixelSize size) const {
    const std::uint32_t x = bytes[0] * size.width / 256;
    const std::uint32_t y = bytes[1] * size.height / 256;
    return {x, y, 1 + bytes[2] * (size.width - x - 1) / 255,
            1 + bytes[3] * (size.height - y - 1) / 255};
  }
  SimdLevel Level() const { return static_cast<SimdLevel>(bytes[4] % 5); }
  void Spoil(std::string& points) const {
    if (points.empty()) return;
    points[bytes[5] * points.size() / 256] ^= static_cast<char>(bytes[6] | 1);
    if (bytes[7] < 32) points.resize(bytes[7] * points.size() / 32);
  }

  std::uint8_t bytes[kControlBytes];
};

void CompareRegion(ImageDecoder& decoder, ByteView jpeg, const Region& box,
                   ByteView points, const PixelBuffer* whole) {
  Require(decoder.Open(jpeg, {.limits = kLimits}, points).ok());
  PixelBuffer part;
  BufferSink sink(part);
  const auto decoded = decoder.DecodeRegion(box, sink);
  if (whole != nullptr) Require(decoded.ok() && IsPartOf(*whole, box, part));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  if (size < kControlBytes) return 0;
  const Controls controls(
      std::span(data + size - kControlBytes, kControlBytes));
  const ByteView jpeg = std::as_bytes(std::span(data, size - kControlBytes));
  if (DetectImageKind(jpeg) != ImageKind::kJpeg) return 0;
  LimitSimd(controls.Level());

  PixelBuffer expected;
  BufferSink expected_sink(expected);
  const auto by_library = DecodeJpeg(jpeg, kLimits, {}, expected_sink);

  ImageDecoder decoder;
  PixelBuffer whole;
  BufferSink sink(whole);
  Require(decoder.Open(jpeg, {.limits = kLimits}).ok());
  const auto by_us = decoder.Decode(sink);
  Require(by_us.ok() == by_library.ok());
  if (by_library.ok()) {
    Require(*by_us == *by_library);
    Require(IsPartOf(expected, {0, 0, whole.size().width, whole.size().height},
                     whole));
  }

  CheckedImage checked = ImageChecker({.level = ImageCheck::kNone,
                                       .find_entry_points = true,
                                       .limits = kLimits})
                             .Check(jpeg);
  const bool clean = by_library.ok() && by_library->empty();
  if (!checked.entry_points.empty()) Require(clean);
  if (checked.damaged) Require(!clean);
  if (!by_library.ok() || decoder.size() != expected.size()) return 0;
  const Region box = controls.Box(expected.size());
  // Faults in the rest of the image do not matter to a region.
  CompareRegion(decoder, jpeg, box, {}, &expected);
  CompareRegion(decoder, jpeg, box, AsBytes(checked.entry_points), &expected);
  controls.Spoil(checked.entry_points);
  CompareRegion(decoder, jpeg, box, AsBytes(checked.entry_points), nullptr);
  const auto [width, height] = expected.size();
  CompareRegion(decoder, jpeg, {0, 0, width, height},
                AsBytes(checked.entry_points), &expected);
  return 0;
}
