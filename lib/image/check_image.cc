#include "image/check_image.h"

#include <cstddef>
#include <utility>
#include <vector>

#include "image/jpeg_decode.h"
#include "image/png_check.h"
#include "image/probe.h"

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

class NoSink final : public RowSink {
 public:
  Status Begin(PixelSize, std::uint8_t) override { return {}; }
  void TakeRows(const std::uint8_t*, std::size_t, std::uint32_t) override {}
};

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
  ProbeResult probe = ProbeImage(bytes);
  ImageVerdict verdict;
  verdict.facts = probe.facts;
  if (level == ImageCheck::kNone) return verdict;
  if (probe.problem != ImageProblem::kNone) {
    verdict.reason = ToString(probe.problem);
    verdict.detail = std::move(probe.detail);
    verdict.offset = probe.offset;
    return verdict;
  }
  if (level == ImageCheck::kHeader) return verdict;
  if (verdict.facts.kind == ImageKind::kJpeg) {
    NoSink sink;
    JudgeDecode(DecodeJpeg(bytes, limits, ColorMode::kKeep, sink), verdict);
  } else if (Status status = CheckPng(bytes, limits); !status.ok()) {
    SetError(verdict, status);
  }
  return verdict;
}

}  // namespace shardine
