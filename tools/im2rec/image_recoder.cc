#include "im2rec/image_recoder.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "image/probe.h"

namespace shardine {

namespace {

ImageOptions OptionsOf(const PixelOptions& pixels, Filter filter) {
  ImageOptions image;
  image.filter = filter;
  image.center_crop = pixels.center_crop;
  image.color = pixels.color == 1   ? ColorMode::kColor
                : pixels.color == 0 ? ColorMode::kGray
                                    : ColorMode::kKeep;
  // OpenCV turns images upright unless they are wanted as they are.
  image.apply_exif = pixels.color != -1;
  image.encoding = pixels.encoding;
  image.quality = pixels.quality;
  image.png_level = pixels.png_level;
  return image;
}

}  // namespace

Result<ByteBuffer> ImageRecoder::Do(const FileRequest& request,
                                    ByteBuffer contents) {
  Recoder& recoder = RecoderOf(FilterFor(contents.view(), request.id));
  const RecodeResult result = recoder.Recode(contents.view(), images_);
  const ImageVerdict& verdict = result.verdict;
  if (!verdict.good()) {
    return Status(Code::kCorrupt, verdict.reason + ": " + verdict.detail)
        .At({.path = request.path, .offset = verdict.offset});
  }
  return std::move(images_[0].bytes);
}

// Turned upright or not: which sides grow and shrink is the same.
Filter ImageRecoder::FilterFor(ByteView image, std::uint64_t id) const {
  const ImageFacts facts = ProbeImage(image).facts;
  PixelSize from = {facts.width, facts.height};
  if (options_.center_crop) {
    from.width = from.height = std::min(from.width, from.height);
  }
  // An image without a size is bad, whatever the filter.
  if (from.width == 0 || from.height == 0) return Filter::kBilinear;
  return ChooseFilter(options_.inter_method, from,
                      SizeAtShortSide(from, options_.short_side), id);
}

FileWorkFactory RecoderWork(const std::optional<PixelOptions>& options) {
  if (!options) return {};
  return [pixels = *options] { return std::make_unique<ImageRecoder>(pixels); };
}

Recoder& ImageRecoder::RecoderOf(Filter filter) {
  return recoders_
      .try_emplace(filter, OptionsOf(options_, filter),
                   std::vector<std::uint32_t>{options_.short_side})
      .first->second;
}

}  // namespace shardine
