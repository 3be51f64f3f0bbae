#include "pixels/element_moves.h"

#include <algorithm>
#include <cstring>

#include "pixels/affine_kernels.h"

namespace shardine {
namespace {

template <std::size_t kBytes>
struct Element {
  std::byte bytes[kBytes];
};

// Calls use(Element<n>()) with the element's size, if it is a common one.
template <typename Use>
bool WithElement(std::size_t bytes, const Use& use) {
  switch (bytes) {
    case 1:
      return use(Element<1>()), true;
    case 2:
      return use(Element<2>()), true;
    case 3:
      return use(Element<3>()), true;
    case 4:
      return use(Element<4>()), true;
    case 8:
      return use(Element<8>()), true;
    case 12:
      return use(Element<12>()), true;
    default:
      return false;
  }
}

// Elements of `from` by their numbers.
void Gather(const std::byte* from, std::size_t element,
            std::span<const std::uint32_t> sources, ByteView fill,
            std::byte* out) {
  const bool all_inside =
      std::ranges::find(sources, kNoSource) == sources.end();
  const bool done = WithElement(element, [&]<typename T>(T) {
    for (std::size_t i = 0; all_inside && i < sources.size(); ++i) {
      std::memcpy(out + i * sizeof(T), from + sources[i] * sizeof(T),
                  sizeof(T));
    }
    if (all_inside) return;
    for (std::size_t i = 0; i < sources.size(); ++i) {
      const std::byte* const source =
          sources[i] == kNoSource ? fill.data() : from + sources[i] * sizeof(T);
      std::memcpy(out + i * sizeof(T), source, sizeof(T));
    }
  });
  if (done) return;
  for (std::size_t i = 0; i < sources.size(); ++i, out += element) {
    const std::byte* const source =
        sources[i] == kNoSource ? fill.data() : from + sources[i] * element;
    std::memcpy(out, source, element);
  }
}

void Fill(ByteView fill, std::size_t count, std::byte* out) {
  for (; count > 0; --count) out = std::ranges::copy(fill, out).out;
}

bool IsRun(std::span<const std::uint32_t> sources) {
  for (std::size_t i = 1; i < sources.size(); ++i) {
    if (sources[i] != sources[i - 1] + 1) return false;
  }
  // One more than kNoSource is 0.
  return !sources.empty() && sources.front() != kNoSource &&
         sources.back() != kNoSource;
}

}  // namespace

void TakeElements(const ElementView& from,
                  std::span<const std::uint32_t> across,
                  std::span<const std::uint32_t> down, ByteView fill,
                  std::byte* out) {
  const std::size_t stride = across.size() * from.element;
  const bool is_run = IsRun(across);
  for (std::size_t y = 0; y < down.size(); ++y, out += stride) {
    if (down[y] == kNoSource) {
      Fill(fill, across.size(), out);
    } else if (y > 0 && down[y] == down[y - 1]) {
      std::memcpy(out, out - stride, stride);
    } else if (is_run) {
      std::memcpy(out, from.row(down[y]) + across[0] * from.element, stride);
    } else {
      Gather(from.row(down[y]), from.element, across, fill, out);
    }
  }
}

void ElementSampler::operator()(std::byte* image, PixelSize size,
                                const AffineMatrix& matrix, ByteView fill) {
  const std::size_t stride = std::size_t{size.width} * fill.size();
  before_.assign(image, image + stride * size.height);
  sources_.resize(size.width);
  const AffineTask task = AffineTaskOf(size, matrix);
  const float first = (1.0F - static_cast<float>(size.height)) * 0.5F;
  for (std::uint32_t y = 0; y < size.height; ++y, image += stride) {
    NearestPlaces(task, first + static_cast<float>(y), sources_);
    Gather(before_.data(), fill.size(), sources_, fill, image);
  }
}

}  // namespace shardine
