// Whether an encoded image is good enough to be packed.
#ifndef SHARDINE_IMAGE_CHECK_IMAGE_H_
#define SHARDINE_IMAGE_CHECK_IMAGE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "image/decode_limits.h"
#include "image/image_facts.h"
#include "shardine/status.h"

namespace shardine {

enum class ImageCheck : std::uint8_t {
  kNone,    // header facts only; everything is good
  kHeader,  // the header walk of probe.h finds no problem
  kDecode,  // and every row decodes without an error or a warning
};

struct ImageVerdict {
  ImageFacts facts;
  // Empty when good; else a stable word: those of ImageProblem, or
  // "decode-error", "decode-warning".
  std::string reason;
  std::string detail;        // for people; empty when good
  std::uint64_t offset = 0;  // byte where it is known, else 0

  bool good() const { return reason.empty(); }
};

// Never fails. At kDecode the verdict on a JPEG is libjpeg-turbo's; PNG is
// checked as png_check.h says. An image beyond `limits` is a "decode-error".
// For one image; for many, image_checker.h.
ImageVerdict CheckImage(ByteView bytes, ImageCheck level,
                        const DecodeLimits& limits = {});

// Judges an image with a good header by its decode: sets reason, detail and
// offset of `verdict`, unless all went well.
void JudgeDecode(const Result<std::vector<DecodeWarning>>& decoded,
                 ImageVerdict& verdict);

}  // namespace shardine

#endif  // SHARDINE_IMAGE_CHECK_IMAGE_H_
