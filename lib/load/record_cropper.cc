#include "load/record_cropper.h"

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "base/status_macros.h"
#include "pixels/opencv_resize.h"
#include "pixels/opencv_warp.h"

namespace shardine {
namespace {

constexpr std::uint8_t kChannels = 3;

PixelView PartOf(const PixelView& image, const Region& part) {
  return {image.row(part.y) + std::size_t{part.x} * kChannels,
          {part.width, part.height},
          kChannels,
          image.stride};
}

void CopyRows(const PixelView& from, std::uint8_t* to, std::size_t stride) {
  for (std::uint32_t y = 0; y < from.size.height; ++y) {
    std::memcpy(to + stride * y, from.row(y),
                std::size_t{from.size.width} * kChannels);
  }
}

// The intersection of two regions; may be empty.
Region Common(const Region& a, const Region& b) {
  const std::uint32_t x = std::max(a.x, b.x);
  const std::uint32_t y = std::max(a.y, b.y);
  const std::uint32_t right = std::min(a.x + a.width, b.x + b.width);
  const std::uint32_t bottom = std::min(a.y + a.height, b.y + b.height);
  return {x, y, std::max(right, x) - x, std::max(bottom, y) - y};
}

bool Contains(const Region& whole, const Region& part) {
  return Common(whole, part) == part;
}

}  // namespace

Result<Region> RecordCropper::Plan(PixelSize image, const SampleDraws& draws) {
  SHARDINE_ASSIGN_OR_RETURN(plan_, PlanRecordCrop(crop_, image, draws));
  return plan_.decoded;
}

RegionTarget RecordCropper::Target() {
  const PixelSize size{plan_.decoded.width, plan_.decoded.height};
  decoded_.Reset(size, kChannels);
  return {.region = plan_.decoded,
          .target = {.size = size},
          .out = decoded_.data(),
          .stride = decoded_.stride()};
}

void RecordCropper::Make(RgbPixels out) {
  PixelView image = decoded_.view();
  if (plan_.first) {
    resized_.Reset(plan_.first->size, kChannels);
    OpenCvResize(image, plan_.first->filter, resized_, OpenCvRelease::k3);
    image = resized_.view();
  }
  image = MakePart(image);
  for (std::size_t i = 0; i < plan_.resizings.size(); ++i) {
    PixelBuffer& to = grown_[i % 2];
    to.Reset(plan_.resizings[i].size, kChannels);
    OpenCvResize(image, plan_.resizings[i].filter, to, OpenCvRelease::k3);
    image = to.view();
  }
  CopyRows(PartOf(image, plan_.kept), out.data, out.stride());
}

PixelView RecordCropper::MakePart(const PixelView& image) {
  // Where the image's pixels lie once it has its border.
  const std::uint32_t pad = crop_.pad;
  PixelSize size = image.size;
  std::uint32_t x = pad;
  std::uint32_t y = pad;
  if (plan_.warp) {
    size = plan_.warp->size;
  } else if (!plan_.first) {
    x += plan_.decoded.x;
    y += plan_.decoded.y;
  }
  const Region known{x, y, size.width, size.height};
  const Region inside = Common(known, plan_.part);
  const Region of_image{inside.x - std::min(inside.x, x),
                        inside.y - std::min(inside.y, y), inside.width,
                        inside.height};
  if (!plan_.warp && Contains(known, plan_.part)) {
    return PartOf(image, of_image);
  }
  part_.Reset({plan_.part.width, plan_.part.height}, kChannels);
  if (inside != plan_.part) {
    std::memset(part_.data(), crop_.fill, part_.stride() * plan_.part.height);
  }
  if (inside.width == 0 || inside.height == 0) return part_.view();
  std::uint8_t* const to = part_.row(inside.y - plan_.part.y) +
                           std::size_t{inside.x - plan_.part.x} * kChannels;
  if (plan_.warp) {
    OpenCvWarp(image, plan_.warp->matrix, plan_.warp->filter, crop_.fill,
               of_image, to, part_.stride());
  } else {
    CopyRows(PartOf(image, of_image), to, part_.stride());
  }
  return part_.view();
}

}  // namespace shardine
