#include "image/probe.h"

#include <utility>

#include "image/image_kind.h"
#include "image/jpeg_header.h"
#include "image/jpeg_scans.h"
#include "image/library_image.h"
#include "image/png_header.h"

namespace shardine {
namespace {

constexpr char kNotDecoded[] =
    " images are not decoded: make jpeg or png images of them first";

ProbeResult NotDecoded(ImageKind kind, ImageProblem problem,
                       std::string detail) {
  ProbeResult result;
  result.facts.kind = kind;
  result.problem = problem;
  result.detail = std::move(detail);
  return result;
}

}  // namespace

// The switches here have no default, so that the compiler warns of an
// enumerator without a word. The code after them is for a value that is no
// enumerator.
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
    case ImageProblem::kMissingScans:
      return "missing-scans";
  }
  return "";
}

const char* ToString(ChromaSampling chroma) {
  switch (chroma) {
    case ChromaSampling::kNone:
      return "";
    case ChromaSampling::k444:
      return "4:4:4";
    case ChromaSampling::k422:
      return "4:2:2";
    case ChromaSampling::k420:
      return "4:2:0";
    case ChromaSampling::k440:
      return "4:4:0";
    case ChromaSampling::k411:
      return "4:1:1";
    case ChromaSampling::k410:
      return "4:1:0";
    case ChromaSampling::kOther:
      return "other";
  }
  return "other";
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
      return ProbeLibraryImage(bytes, kind);
    case ImageKind::kHeic:
    case ImageKind::kAvif:
    case ImageKind::kJpegXl:
      return NotDecoded(kind, ImageProblem::kUnsupported,
                        std::string(ToString(kind)) + kNotDecoded);
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

// ProbeJpeg searches for the last EOI, which may belong to a second image: its
// scans are walked here to find the end of the first. Chunks of a PNG have
// lengths, so there the probe knows already.
std::uint64_t TrailingBytes(ByteView bytes) {
  switch (DetectImageKind(bytes)) {
    case ImageKind::kJpeg:
      return bytes.size() - FindJpegEnd(bytes);
    case ImageKind::kPng:
      return ProbePng(bytes).trailing_bytes;
    default:
      return 0;
  }
}

}  // namespace shardine
