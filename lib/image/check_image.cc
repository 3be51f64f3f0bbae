#include "image/check_image.h"

#include <utility>
#include <vector>

#include "image/image_checker.h"

namespace shardine {
namespace {

// "Premature end of JPEG file; Corrupt JPEG data: ... (12 times)"
std::string Describe(const std::vector<DecodeWarning>& warnings) {
  std::string text;
  for (const DecodeWarning& warning : warnings) {
    if (!text.empty()) text += "; ";
    text += warning.text;
    if (warning.count > 1) {
      text += " (" + std::to_string(warning.count) + " times)";
    }
  }
  return text;
}

void SetError(ImageVerdict& verdict, const Status& status) {
  verdict.reason = "decode-error";
  verdict.detail = status.message();
  verdict.offset = status.where().offset.value_or(0);
}

}  // namespace

void JudgeDecode(const Result<std::vector<DecodeWarning>>& decoded,
                 ImageVerdict& verdict) {
  if (!decoded.ok()) {
    SetError(verdict, decoded.status());
  } else if (!decoded->empty()) {
    verdict.reason = "decode-warning";
    verdict.detail = Describe(*decoded);
  }
}

ImageVerdict CheckImage(ByteView bytes, ImageCheck level,
                        const DecodeLimits& limits) {
  return ImageChecker({.level = level, .limits = limits}).Check(bytes).verdict;
}

}  // namespace shardine
