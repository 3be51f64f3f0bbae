// Any bytes as a JPEG to be checked: the pass over its scan that finds entry
// points agrees with libjpeg-turbo on its pixels, with all kinds of vector
// instructions.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>

#include "base/simd_level.h"
#include "image/image_checker.h"
#include "image/image_kind.h"
#include "image/jpeg_decode.h"
#include "image/probe.h"

namespace {

using namespace shardine;

constexpr DecodeLimits kLimits = {
    .max_pixels = 1 << 16, .max_scans = 20, .max_memory = 16 << 20};

void Require(bool condition) {
  if (!condition) std::abort();
}

struct NoRows final : RowSink {
  Status Begin(PixelSize, std::uint8_t) override { return {}; }
  void TakeRows(const std::uint8_t*, std::size_t, std::uint32_t) override {}
};

// The verdict of libjpeg-turbo.
ImageVerdict Expected(ByteView jpeg) {
  ImageVerdict verdict;
  NoRows sink;
  JudgeDecode(DecodeJpeg(jpeg, kLimits, {}, sink), verdict);
  return verdict;
}

// Compares verdicts where the header is good. The check ignores a bad header,
// so that its verdict is good then.
void Compare(const CheckedImage& checked, bool good_header,
             const ImageVerdict& expected) {
  if (good_header) {
    Require(checked.verdict.reason == expected.reason);
    Require(checked.verdict.detail == expected.detail);
  } else {
    Require(checked.verdict.good());
  }
  if (!checked.entry_points.empty()) Require(expected.good());
  if (checked.damaged) Require(!expected.good());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  const ByteView jpeg = std::as_bytes(std::span(data, size));
  if (DetectImageKind(jpeg) != ImageKind::kJpeg) return 0;
  const bool good_header = ProbeImage(jpeg).problem == ImageProblem::kNone;
  const ImageVerdict expected = Expected(jpeg);
  // At kNone a bad header is no reason to look no further.
  ImageChecker checker(
      {.level = good_header ? ImageCheck::kDecode : ImageCheck::kNone,
       .find_entry_points = true,
       .limits = kLimits});
  std::string points;
  for (int level = 0; level <= static_cast<int>(SimdLevel::kAvx512Vnni);
       ++level) {
    if (!LimitSimd(static_cast<SimdLevel>(level))) break;
    const CheckedImage checked = checker.Check(jpeg);
    Compare(checked, good_header, expected);
    if (level == 0) points = checked.entry_points;
    Require(checked.entry_points == points);
  }
  return 0;
}
