#include "image/undecoded_kind.h"

#include "image/library_image.h"
#include "image/probe.h"

namespace shardine {
namespace {

std::string_view UndecodedJpeg(const ImageFacts& facts) {
  if (facts.coding == ImageCoding::kLossless) return "lossless jpeg";
  if (facts.bits == 12 && facts.coding != ImageCoding::kBaseline) {
    return "12-bit jpeg";
  }
  if (facts.components == 2) return "jpeg of 2 components";
  if (facts.components > 4) return "jpeg of many components";
  return {};
}

}  // namespace

std::string_view UndecodedKind(const ImageFacts& facts) {
  switch (facts.kind) {
    case ImageKind::kWebp:
    case ImageKind::kGif:
    case ImageKind::kBmp:
    case ImageKind::kTiff:
      return facts.bits == 0 ? ToString(facts.kind) : std::string_view();
    case ImageKind::kHeic:
    case ImageKind::kAvif:
    case ImageKind::kJpegXl:
      return ToString(facts.kind);
    case ImageKind::kJpeg:
      return UndecodedJpeg(facts);
    case ImageKind::kUnknown:
    case ImageKind::kPng:
    case ImageKind::kSvg:
    case ImageKind::kHtml:
    case ImageKind::kGitLfsPointer:
      return {};
  }
  return {};
}

bool IsDecodedKind(ImageKind kind) {
  return kind == ImageKind::kJpeg || kind == ImageKind::kPng ||
         IsLibraryKind(kind);
}

bool IsOfUndecodedKind(ByteView image, const Status& failure) {
  return ProbeImage(image).problem == ImageProblem::kUnsupported ||
         (failure.code() == Code::kUnsupported &&
          failure.message() == kArithmeticCoding);
}

}  // namespace shardine
