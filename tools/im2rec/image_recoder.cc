#include "im2rec/image_recoder.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "image/probe.h"

namespace shardine {

namespace {

ImageOptions OptionsOf(const PixelOptions& pixels, InterMethod method) {
  ImageOptions image;
  image.filter = PillowFilterOf(method);
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

// Stored pixels are always read as the originals read them.
RecodeRules RulesOf(const PixelOptions& pixels, InterMethod method) {
  RecodeRules rules = {.samples = ColorRule::kOpenCv};
  if (pixels.rule == PixelRule::kOpenCv) {
    rules.gray = ColorRule::kOpenCv;
    rules.filter = OpenCvFilterOf(method);
  }
  return rules;
}

}  // namespace

Result<ByteBuffer> ImageRecoder::Do(const FileRequest& request,
                                    ByteBuffer contents) {
  Recoder& recoder = RecoderOf(MethodFor(contents.view(), request.id));
  const RecodeResult result = recoder.Recode(contents.view(), images_);
  const ImageVerdict& verdict = result.verdict;
  if (!verdict.good()) {
    return Status(Code::kCorrupt, verdict.reason + ": " + verdict.detail)
        .At({.path = request.path, .offset = verdict.offset});
  }
  return std::move(images_[0].bytes);
}

// Turned upright or not: which sides grow and shrink is the same.
InterMethod ImageRecoder::MethodFor(ByteView image, std::uint64_t id) const {
  const ImageFacts facts = ProbeImage(image).facts;
  PixelSize from = {facts.width, facts.height};
  if (options_.center_crop) {
    from.width = from.height = std::min(from.width, from.height);
  }
  // An image without a size is bad, whatever the filter.
  if (from.width == 0 || from.height == 0) return InterMethod::kBilinear;
  return ChooseMethod(options_.inter_method, from,
                      SizeAtShortSide(from, options_.short_side), id);
}

FileWorkFactory RecoderWork(const std::optional<PixelOptions>& options) {
  if (!options) return {};
  return [pixels = *options] { return std::make_unique<ImageRecoder>(pixels); };
}

Recoder& ImageRecoder::RecoderOf(InterMethod method) {
  return recoders_
      .try_emplace(method, OptionsOf(options_, method),
                   std::vector<std::uint32_t>{options_.short_side},
                   RulesOf(options_, method))
      .first->second;
}

}  // namespace shardine
