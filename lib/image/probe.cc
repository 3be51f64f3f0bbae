#include "image/probe.h"

#include <utility>

#include "image/image_kind.h"
#include "image/jpeg_header.h"
#include "image/png_header.h"

namespace shardine {
namespace {

ProbeResult NotDecoded(ImageKind kind, ImageProblem problem,
                       std::string detail) {
  ProbeResult result;
  result.facts.kind = kind;
  result.problem = problem;
  result.detail = std::move(detail);
  return result;
}

}  // namespace

const char* ToString(ImageProblem problem) {
  switch (problem) {
    case ImageProblem::kNone:
      return "";
    case ImageProblem::kEmpty:
      return "empty";
    case ImageProblem::kNotAnImage:
      return "not-an-image";
    case ImageProblem::kUnsupported:
      return "unsupported-kind";
    case ImageProblem::kBadHeader:
      return "bad-header";
    case ImageProblem::kNoEndMarker:
      return "no-end-marker";
  }
  return "";
}

ProbeResult ProbeImage(ByteView bytes) {
  if (bytes.empty()) {
    return NotDecoded(ImageKind::kUnknown, ImageProblem::kEmpty, "no bytes");
  }
  const ImageKind kind = DetectImageKind(bytes);
  switch (kind) {
    case ImageKind::kJpeg:
      return ProbeJpeg(bytes);
    case ImageKind::kPng:
      return ProbePng(bytes);
    case ImageKind::kWebp:
    case ImageKind::kGif:
    case ImageKind::kBmp:
    case ImageKind::kTiff:
    case ImageKind::kHeic:
      return NotDecoded(kind, ImageProblem::kUnsupported,
                        std::string("a ") + ToString(kind) +
                            " image; only jpeg and png are decoded");
    case ImageKind::kHtml:
      return NotDecoded(kind, ImageProblem::kNotAnImage, "an HTML page");
    case ImageKind::kSvg:
      return NotDecoded(kind, ImageProblem::kNotAnImage, "an SVG drawing");
    case ImageKind::kGitLfsPointer:
      return NotDecoded(kind, ImageProblem::kNotAnImage,
                        "a git-LFS pointer: the file was never fetched");
    case ImageKind::kUnknown:
      break;
  }
  return NotDecoded(kind, ImageProblem::kNotAnImage,
                    "the first bytes are of no known kind of image");
}

}  // namespace shardine
