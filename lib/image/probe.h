// Probe: kind by content and header facts without decoding a pixel.
#ifndef SHARDINE_IMAGE_PROBE_H_
#define SHARDINE_IMAGE_PROBE_H_

#include <string>

#include "base/bytes.h"
#include "image/image_facts.h"

namespace shardine {

// What a header walk finds wrong, in stable words for counts and reports.
enum class ImageProblem : std::uint8_t {
  kNone,
  kEmpty,        // zero bytes
  kNotAnImage,   // HTML, SVG, git-LFS pointer, unknown bytes
  kUnsupported,  // an image kind or JPEG process that is not decoded
  kBadHeader,    // markers, lengths, dimensions that cannot be
  kNoEndMarker,  // cut off: JPEG without EOI, PNG without IEND, or the
                 // bytes end inside the header
};
// "empty", "not-an-image", "unsupported-kind", "bad-header", "no-end-marker".
const char* ToString(ImageProblem problem);

struct ProbeResult {
  ImageFacts facts;
  ImageProblem problem = ImageProblem::kNone;
  std::string detail;        // for people; empty without a problem
  std::uint64_t offset = 0;  // byte where the problem is
};

// Never fails and never allocates by a size read from `bytes`; walks JPEG
// markers up to the first SOS and looks for the end marker at the end of the
// bytes (trailing bytes after EOI are accepted: the last 64 KiB are searched),
// PNG chunk headers up to IEND (trailing bytes are accepted).
//
// kNone means: JPEG or PNG, of a process that is decoded, neither side zero,
// end marker present. `facts` hold what was read even where there is a problem.
ProbeResult ProbeImage(ByteView bytes);

}  // namespace shardine

#endif  // SHARDINE_IMAGE_PROBE_H_
