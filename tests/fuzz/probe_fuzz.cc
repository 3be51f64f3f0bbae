#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>

#include "image/check_image.h"
#include "image/probe.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  using namespace shardine;
  const ByteView bytes = std::as_bytes(std::span(data, size));
  const ProbeResult probe = ProbeImage(bytes);
  const DecodeLimits limits = {
      .max_pixels = 1 << 18, .max_scans = 20, .max_memory = 16 << 20};
  const ImageVerdict verdict = CheckImage(bytes, ImageCheck::kDecode, limits);
  const bool refused = probe.problem != ImageProblem::kNone;
  if (verdict.facts != probe.facts || (refused && verdict.good())) std::abort();
  return 0;
}
