#include "load/mask_mover.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "pixels/resample_axis.h"

namespace shardine {
namespace {

using StepKind = DrawnStep::Kind;

// torch's "nearest", in its floats.
void FloorSources(std::uint32_t in, std::uint32_t out, PixelRun part,
                  std::span<std::uint32_t> sources) {
  const float scale = static_cast<float>(in) / static_cast<float>(out);
  for (std::uint32_t i = 0; i < part.count; ++i) {
    const float at = std::floor(static_cast<float>(part.first + i) * scale);
    sources[i] = std::min(static_cast<std::uint32_t>(at), in - 1);
  }
}

// One axis of a crop, in pixels of the image.
struct Axis {
  std::uint32_t begin;    // of the box
  std::uint32_t length;   // of the box
  std::uint32_t resized;  // its size once resized
  PixelRun kept;          // of `resized`
  std::uint32_t border;   // before it in the view
  std::uint32_t view;     // pixels of the view
  bool flip;
};

void SetSources(const Axis& axis, FollowKind kind,
                std::vector<std::uint32_t>& sources) {
  sources.assign(axis.view, kNoSource);
  const std::span<std::uint32_t> inside =
      std::span(sources).subspan(axis.border, axis.kept.count);
  PixelRun part = axis.kept;
  if (axis.flip) part.first = axis.resized - part.first - part.count;
  if (kind == FollowKind::kNearest) {
    FloorSources(axis.length, axis.resized, part, inside);
  } else {
    NearestSources(axis.length, axis.resized, part, inside);
  }
  for (std::uint32_t& source : inside) source += axis.begin;
  if (axis.flip) std::ranges::reverse(inside);
}

void FlipRows(std::byte* image, PixelSize size, std::size_t element) {
  const std::size_t stride = size.width * element;
  for (std::uint32_t y = 0; y < size.height / 2; ++y) {
    std::byte* const row = image + stride * y;
    std::swap_ranges(row, row + stride, image + stride * (size.height - 1 - y));
  }
}

void FlipColumns(std::byte* image, PixelSize size, std::size_t element) {
  for (std::uint32_t y = 0; y < size.height; ++y) {
    std::byte* first = image + std::size_t{size.width} * element * y;
    std::byte* last = first + (size.width - 1) * element;
    for (; first < last; first += element, last -= element) {
      std::swap_ranges(first, first + element, last);
    }
  }
}

}  // namespace

void MaskMover::operator()(const ElementView& mask, const DrawnGeometry& drawn,
                           FollowKind kind, ByteView fill, std::byte* out) {
  const CropPlan& crop = drawn.crop;
  const Region kept = crop.kept();
  SetSources({crop.box.x,
              crop.box.width,
              crop.resized.width,
              {kept.x, kept.width},
              crop.left(),
              crop.size.width,
              crop.flip},
             kind, across_);
  SetSources({crop.box.y,
              crop.box.height,
              crop.resized.height,
              {kept.y, kept.height},
              crop.top(),
              crop.size.height,
              false},
             kind, down_);
  auto step = drawn.steps.begin();
  // Flips that come first only change the order in which pixels are taken.
  for (; step != drawn.steps.end() && step->kind != StepKind::kAffine; ++step) {
    if (step->kind == StepKind::kFlipAcross) std::ranges::reverse(across_);
    if (step->kind == StepKind::kFlipDown) std::ranges::reverse(down_);
  }
  TakeElements(mask, across_, down_, fill, out);
  for (; step != drawn.steps.end(); ++step) {
    if (step->kind == StepKind::kFlipAcross) {
      FlipColumns(out, crop.size, mask.element);
    } else if (step->kind == StepKind::kFlipDown) {
      FlipRows(out, crop.size, mask.element);
    } else if (step->kind == StepKind::kAffine) {
      sampler_(out, crop.size, step->matrix, fill);
    }
  }
}

}  // namespace shardine
