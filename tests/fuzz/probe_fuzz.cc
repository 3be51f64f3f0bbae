#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <span>

#include "image/check_image.h"
#include "image/library_image.h"
#include "image/probe.h"

namespace {

using namespace shardine;

void Require(bool condition) {
  if (!condition) std::abort();
}

void RequirePossible(const ProbeResult& probe, std::size_t size) {
  const bool good = probe.problem == ImageProblem::kNone;
  const ImageFacts& facts = probe.facts;
  Require(probe.detail.empty() == good);
  Require(probe.offset <= size);
  Require(facts.orientation <= 8);
  Require(probe.trailing_bytes <= size);
  Require(probe.end_marker || probe.trailing_bytes == 0);
  Require(std::strlen(ToString(probe.chroma)) < 6);
  if (!good) return;
  const bool ours =
      facts.kind == ImageKind::kJpeg || facts.kind == ImageKind::kPng;
  Require(ours || IsLibraryKind(facts.kind));
  Require(ours == (facts.coding != ImageCoding::kUnknown));
  Require(facts.width > 0 && facts.height > 0);
  Require(facts.components >= 1 && facts.components <= 4);
  // A PNG may do without: its pixels tell whether it is whole.
  Require(probe.end_marker || facts.kind == ImageKind::kPng);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  const ByteView bytes = std::as_bytes(std::span(data, size));
  const ProbeResult probe = ProbeImage(bytes);
  RequirePossible(probe, size);
  // From the first end on, hence not less than from the last.
  const std::uint64_t trailing = TrailingBytes(bytes);
  Require(trailing <= size);
  Require(trailing == 0 || trailing >= probe.trailing_bytes);

  const DecodeLimits limits = {
      .max_pixels = 1 << 18, .max_scans = 20, .max_memory = 16 << 20};
  const ImageVerdict verdict = CheckImage(bytes, ImageCheck::kDecode, limits);
  const bool refused = probe.problem != ImageProblem::kNone;
  Require(verdict.facts == probe.facts && !(refused && verdict.good()));
  return 0;
}
