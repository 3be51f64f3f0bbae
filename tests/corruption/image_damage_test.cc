// Every byte of small images changed, and images cut at every length: whatever
// is left of them is judged and decoded within limits, and a good verdict means
// pixels.

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "image/check_image.h"
#include "image/image_decode.h"
#include "support/jpeg_maker.h"
#include "support/png_maker.h"
#include "support/sanitized.h"

namespace shardine::image_damage_test {
namespace {

constexpr std::size_t kStep = kSanitized ? 7 : 1;

// A size that a changed byte makes large is refused, not decoded.
constexpr DecodeLimits kLimits = {
    .max_pixels = 1 << 16, .max_scans = 50, .max_memory = 16 << 20};

struct NamedImage {
  std::string name;
  std::string bytes;
};

std::vector<NamedImage> SmallImages() {
  std::vector<NamedImage> images;
  const auto add = [&](const char* name, auto change) {
    JpegSpec spec;
    spec.width = 19;
    spec.height = 11;
    change(spec);
    images.push_back({name, MakeJpeg(spec)});
  };
  add("4:2:0", [](JpegSpec&) {});
  add("4:4:4", [](JpegSpec& spec) { spec.across = spec.down = 1; });
  add("progressive", [](JpegSpec& spec) { spec.progressive = true; });
  add("restarts", [](JpegSpec& spec) {
    spec.height = 40;
    spec.restart_rows = 1;
  });
  add("gray", [](JpegSpec& spec) { spec.color = JpegColor::kGray; });
  add("CMYK", [](JpegSpec& spec) { spec.color = JpegColor::kCmyk; });
  add("arithmetic", [](JpegSpec& spec) { spec.arithmetic = true; });
  for (const int color_type : {0, 2, 3, 4, 6}) {
    for (const bool interlaced : {false, true}) {
      PngSpec spec;
      spec.width = 7;
      spec.height = 6;
      spec.color_type = static_cast<std::uint8_t>(color_type);
      spec.interlaced = interlaced;
      images.push_back(
          {"PNG of color type " + std::to_string(color_type), MakePng(spec)});
    }
  }
  return images;
}

// Empty if all is as it must be.
std::string Fault(ByteView image) {
  const ImageVerdict header = CheckImage(image, ImageCheck::kHeader, kLimits);
  const ImageVerdict verdict = CheckImage(image, ImageCheck::kDecode, kLimits);
  PixelBuffer pixels;
  const auto decoded = DecodeImage(image, {.limits = kLimits}, pixels);
  if (verdict.facts != header.facts) return "facts depend on the level";
  if (!header.good() && verdict.reason != header.reason) {
    return "decoding hides " + header.reason;
  }
  if (header.good() && !verdict.good() &&
      !verdict.reason.starts_with("decode-")) {
    return "decoding finds " + verdict.reason;
  }
  const bool clean = decoded.ok() && decoded->empty();
  if (header.good() && verdict.good() != clean) {
    return "verdict \"" + verdict.reason + "\", pixels " +
           decoded.status().ToString();
  }
  if (!decoded.ok()) return "";
  const auto [width, height] = pixels.size();
  if (std::uint64_t{width} * height > kLimits.max_pixels) return "too large";
  const PixelSize stated{verdict.facts.width, verdict.facts.height};
  if (header.good() && pixels.size() != stated) return "pixels of another size";
  return "";
}

// The bytes are copied to their own size, so that a sanitizer sees a read past
// it.
std::string FaultOf(const std::string& image) {
  const std::vector<char> exact(image.begin(), image.end());
  return Fault(std::as_bytes(std::span(exact)));
}

TEST_CASE("A changed byte of an image is seen or gives pixels, within limits",
          "[corruption][image]") {
  for (const NamedImage& image : SmallImages()) {
    REQUIRE(FaultOf(image.bytes).empty());
    REQUIRE(CheckImage(AsBytes(image.bytes), ImageCheck::kDecode).good());
    for (std::size_t at = 0; at < image.bytes.size(); at += kStep) {
      for (const char mask : {'\x01', '\x10', '\x80', '\xFF'}) {
        std::string damaged = image.bytes;
        damaged[at] = static_cast<char>(damaged[at] ^ mask);
        const std::string fault = FaultOf(damaged);
        INFO(image.name << ", byte " << at << " ^ " << int{mask});
        if (!fault.empty()) FAIL_CHECK(fault);
      }
    }
  }
}

// The last chunk of a PNG, IEND, says nothing but that it is the last.
constexpr std::size_t kPngEnd = 12;

TEST_CASE("An image cut anywhere is good where its pixels are whole alone",
          "[corruption][image]") {
  for (const NamedImage& image : SmallImages()) {
    for (std::size_t size = 0; size < image.bytes.size(); size += kStep) {
      const std::string cut = image.bytes.substr(0, size);
      INFO(image.name << ", cut to " << size);
      const std::string fault = FaultOf(cut);
      if (!fault.empty()) FAIL_CHECK(fault);
      const bool whole =
          image.name.starts_with("PNG") && size + kPngEnd == image.bytes.size();
      if (CheckImage(AsBytes(cut), ImageCheck::kHeader, kLimits).good() !=
          whole) {
        FAIL_CHECK((whole ? "bad" : "good"));
      }
    }
  }
}

TEST_CASE("A byte lost or doubled anywhere is seen or gives pixels",
          "[corruption][image]") {
  for (const NamedImage& image : SmallImages()) {
    for (std::size_t at = 0; at < image.bytes.size(); at += kStep) {
      std::string lost = image.bytes;
      lost.erase(at, 1);
      std::string doubled = image.bytes;
      doubled.insert(at, 1, image.bytes[at]);
      INFO(image.name << ", byte " << at);
      for (const std::string& damaged : {lost, doubled}) {
        const std::string fault = FaultOf(damaged);
        if (!fault.empty()) FAIL_CHECK(fault);
      }
    }
  }
}

TEST_CASE("A PNG with any bit changed before its end is never good",
          "[corruption][image][png]") {
  for (const int color_type : {0, 3, 6}) {
    PngSpec spec;
    spec.color_type = static_cast<std::uint8_t>(color_type);
    const std::string png = MakePng(spec);
    for (std::size_t bit = 0; bit < 8 * png.size(); bit += kStep) {
      std::string damaged = png;
      damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ 1 << bit % 8);
      if (CheckImage(AsBytes(damaged), ImageCheck::kDecode).good()) {
        FAIL("bit " << bit);
      }
    }
  }
}

}  // namespace
}  // namespace shardine::image_damage_test
