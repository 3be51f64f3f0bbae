// Probe: kind by content and header facts without decoding a pixel.
#ifndef SHARDINE_IMAGE_PROBE_H_
#define SHARDINE_IMAGE_PROBE_H_

#include <cstdint>
#include <optional>
#include <string>

#include "base/bytes.h"
#include "image/image_facts.h"

namespace shardine {

// The problems that a header walk finds, in stable words for counts and
// reports.
enum class ImageProblem : std::uint8_t {
  kNone,
  kEmpty,         // zero bytes
  kNotAnImage,    // HTML, SVG, git-LFS pointer, unknown bytes
  kUnsupported,   // an image kind or JPEG process that is not decoded
  kBadHeader,     // markers, lengths, dimensions that cannot be
  kNoEndMarker,   // cut off: JPEG without EOI, PNG that ends inside a chunk or
                  // before its pixels, or the bytes end inside the header
  kMissingScans,  // JPEG with EOI, but without the scans that would bring all
                  // coefficients in full precision: cut, then closed
};
// "empty", "not-an-image", "unsupported-kind", "bad-header", "no-end-marker",
// "missing-scans".
const char* ToString(ImageProblem problem);

// How much smaller the two chroma components are stored than luma: "4:2:0" is
// half across and half down.
enum class ChromaSampling : std::uint8_t {
  kNone,  // fewer than three components; PNG
  k444,
  k422,
  k420,
  k440,
  k411,
  k410,
  kOther,
};
// "4:2:0"; "other"; "" for kNone.
const char* ToString(ChromaSampling chroma);

struct ProbeResult {
  ImageFacts facts;
  ImageProblem problem = ImageProblem::kNone;
  std::string detail;        // for people; empty without a problem
  std::uint64_t offset = 0;  // byte where the problem is

  // The members below are known as far as the walk went.
  ChromaSampling chroma = ChromaSampling::kNone;
  bool icc = false;  // a color profile, whole or not
  // The transform of Adobe's APP14 segment, which names the components: 0 RGB
  // or CMYK, 1 YCbCr, 2 YCCK.
  std::optional<std::uint8_t> adobe_transform;
  std::uint16_t restart_interval = 0;  // MCUs at the first scan; 0: none
  bool end_marker = false;             // EOI or IEND was found
  // Bytes after IEND, or after the last EOI: a second JPEG right after the
  // first is no trailing byte here. TrailingBytes() looks closer.
  std::uint64_t trailing_bytes = 0;
};

// Never fails and never allocates by a size read from `bytes`; walks JPEG
// markers up to the first SOS, of progressive ones up to EOI, and looks for the
// last end marker, PNG chunk headers up to IEND. Any number of bytes may follow
// the end.
//
// kNone means: JPEG with its end marker, or PNG that ends with a whole chunk
// after its first pixels, of a process that is decoded, neither side zero.
// Whether a PNG without IEND has all pixels, only CheckImage() knows. `facts`
// hold the values read even where there is a problem.
//
// A few segments and the search for the end cost well under 5 microseconds, the
// scans of a progressive photo some 20; the worst time is linear in the bytes.
ProbeResult ProbeImage(ByteView bytes);

// Bytes after the first end marker of a JPEG (its scans are walked) or after
// IEND of a PNG; 0 without an end marker or for other kinds. Takes time linear
// in the bytes, some 20 microseconds for a photo.
std::uint64_t TrailingBytes(ByteView bytes);

}  // namespace shardine

#endif  // SHARDINE_IMAGE_PROBE_H_
