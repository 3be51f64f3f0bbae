#include "image/image_facts.h"

namespace shardine {

const char* ToString(ImageKind kind) {
  switch (kind) {
    case ImageKind::kUnknown:
      return "unknown";
    case ImageKind::kJpeg:
      return "jpeg";
    case ImageKind::kPng:
      return "png";
    case ImageKind::kWebp:
      return "webp";
    case ImageKind::kGif:
      return "gif";
    case ImageKind::kBmp:
      return "bmp";
    case ImageKind::kTiff:
      return "tiff";
    case ImageKind::kHeic:
      return "heic";
    case ImageKind::kSvg:
      return "svg";
    case ImageKind::kHtml:
      return "html";
    case ImageKind::kGitLfsPointer:
      return "git-lfs-pointer";
    case ImageKind::kAvif:
      return "avif";
    case ImageKind::kJpegXl:
      return "jxl";
  }
  return "unknown";
}

}  // namespace shardine
