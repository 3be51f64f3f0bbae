#include "im2rec/pixel_options.h"

#include "base/philox.h"

namespace shardine {

namespace {

constexpr PhiloxKey kSeed = {100, 0};  // the seed of im2rec.py's shuffle

InterMethod Draw(std::uint64_t id) {
  const auto words = Philox4x32({static_cast<std::uint32_t>(id),
                                 static_cast<std::uint32_t>(id >> 32), 0, 0},
                                kSeed);
  return static_cast<InterMethod>(words[0] % 5);
}

InterMethod ForSizes(PixelSize from, PixelSize to) {
  if (to.width > from.width && to.height > from.height) {
    return InterMethod::kBicubic;
  }
  if (to.width < from.width && to.height < from.height) {
    return InterMethod::kArea;
  }
  return InterMethod::kBilinear;
}

}  // namespace

InterMethod ChooseMethod(InterMethod method, PixelSize from, PixelSize to,
                         std::uint64_t id) {
  if (method == InterMethod::kAuto) return ForSizes(from, to);
  return method == InterMethod::kRandom ? Draw(id) : method;
}

Filter PillowFilterOf(InterMethod method) {
  switch (method) {
    case InterMethod::kNearest:
      return Filter::kNearest;
    case InterMethod::kBicubic:
      return Filter::kBicubic;
    case InterMethod::kArea:
      return Filter::kBox;
    case InterMethod::kLanczos:
      return Filter::kLanczos;
    default:
      return Filter::kBilinear;
  }
}

OpenCvFilter OpenCvFilterOf(InterMethod method) {
  switch (method) {
    case InterMethod::kNearest:
      return OpenCvFilter::kNearest;
    case InterMethod::kBicubic:
      return OpenCvFilter::kCubic;
    case InterMethod::kArea:
      return OpenCvFilter::kArea;
    case InterMethod::kLanczos:
      return OpenCvFilter::kLanczos4;
    default:
      return OpenCvFilter::kLinear;
  }
}

}  // namespace shardine
