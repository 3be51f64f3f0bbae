#include "image/recoder.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/check.h"
#include "base/status_macros.h"
#include "image/icc_profile.h"
#include "image/image_decoder.h"
#include "image/jpeg_encode.h"
#include "image/png_encode.h"
#include "pixels/opencv_resize.h"
#include "pixels/resampler.h"

namespace shardine {
namespace {

// Decoder and resamplers each fill the first-level cache: they take turns by
// strips of rows that still fit the second.
constexpr std::size_t kStripBytes = std::size_t{512} << 10;

struct Box {
  std::uint32_t left = 0;
  std::uint32_t top = 0;
  PixelSize size;
};

Box CenterSquare(PixelSize size) {
  const std::uint32_t side = std::min(size.width, size.height);
  return {(size.width - side) / 2, (size.height - side) / 2, {side, side}};
}

void SpreadGray(const PixelView& gray, PixelBuffer& color) {
  color.Reset(gray.size, 3);
  for (std::uint32_t y = 0; y < gray.size.height; ++y) {
    std::uint8_t* to = color.row(y);
    for (std::uint32_t x = 0; x < gray.size.width; ++x) {
      to = std::fill_n(to, 3, gray.row(y)[x]);
    }
  }
}

}  // namespace

PixelSize SizeAtShortSide(PixelSize size, std::uint32_t short_side,
                          bool upscale) {
  const std::uint32_t side = std::min(size.width, size.height);
  if (short_side == 0 || (!upscale && side <= short_side)) return size;
  const auto scaled = [&](std::uint32_t length) {
    // A side may grow beyond 32 bits here; such an image is refused for its
    // pixels before anything is allocated.
    const std::uint64_t exact = std::max<std::uint64_t>(
        std::uint64_t{length} * short_side / side, short_side);
    return static_cast<std::uint32_t>(
        std::min<std::uint64_t>(exact, 0xFFFFFFFFu));
  };
  return {scaled(size.width), scaled(size.height)};
}

// The sink of the one decode: hands the rows on to the resampler of each
// output that is to have new pixels.
struct Recoder::State final : RowSink {
  struct Output {
    std::uint32_t short_side = 0;
    bool kept = false;
    Resampler resampler;
    PixelBuffer pixels;
  };

  State(const ImageOptions& image_options,
        const std::vector<std::uint32_t>& short_sides,
        const RecodeRules& recode_rules)
      : options(image_options),
        rules(recode_rules),
        outputs(short_sides.size()) {
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      outputs[i].short_side = short_sides[i];
    }
  }

  Status Begin(PixelSize size, std::uint8_t row_channels) override;
  std::uint8_t* Room(std::uint32_t count) override;
  void TakeRows(const std::uint8_t* rows, std::size_t stride,
                std::uint32_t count) override;
  void PushStrip();
  void Push(const std::uint8_t* rows, std::size_t stride, std::uint32_t count);
  void ResizeOutputs();
  void Reset(ByteView encoded, const ImageFacts& facts,
             const DecodeLimits& limits, std::span<RecodedImage> recoded);
  bool IsKept(const Output& output) const;
  bool IsUpscaled(PixelSize size) const {
    return size.width > box.size.width || size.height > box.size.height;
  }
  Result<std::vector<DecodeWarning>> Decode(const DecodeLimits& limits,
                                            ByteView entry_points);
  Status Encode(Output& output, RecodedImage& recoded);
  ImageFacts FactsOf(const PixelView& pixels) const;

  ImageOptions options;
  RecodeRules rules;
  std::vector<Output> outputs;
  ImageDecoder decoder;

  // The members below belong to the image at work.
  ByteView image;
  ImageFacts source;
  std::uint64_t max_pixels = 0;
  Status refused;  // why its outputs cannot be made, though it decodes
  std::uint8_t channels = 0;
  Box box;            // the source of the outputs
  PixelBuffer strip;  // rows that wait to be pushed
  std::uint32_t strip_rows = 0;
  std::uint32_t next_row = 0;  // to be pushed
  PixelBuffer whole;           // all of the box, for OpenCV's resize
  PixelBuffer spread;
  ByteBuffer icc;
};

// True where the encoder could do nothing but lose quality.
bool Recoder::State::IsKept(const Output& output) const {
  const ImageKind kind =
      options.encoding == Encoding::kJpeg ? ImageKind::kJpeg : ImageKind::kPng;
  const bool turned = options.apply_exif && source.orientation > 1;
  const bool recolored = source.components != channels || source.bits != 8 ||
                         (options.color == ColorMode::kColor && channels == 1);
  return !options.upscale && output.short_side > 0 &&
         std::min(box.size.width, box.size.height) <= output.short_side &&
         source.kind == kind && !turned && !recolored &&
         box.size == PixelSize{source.width, source.height};
}

Status Recoder::State::Begin(PixelSize size, std::uint8_t row_channels) {
  channels = row_channels;
  box = options.center_crop ? CenterSquare(size) : Box{0, 0, size};
  next_row = strip_rows = 0;
  const std::size_t row_bytes = std::size_t{size.width} * channels;
  strip.Reset({size.width, static_cast<std::uint32_t>(std::min<std::size_t>(
                               kStripBytes / row_bytes, size.height))},
              channels);
  if (rules.filter) whole.Reset(box.size, channels);
  for (Output& output : outputs) {
    output.kept = IsKept(output);
    if (output.kept) continue;
    const PixelSize target =
        SizeAtShortSide(box.size, output.short_side, options.upscale);
    if (std::uint64_t{target.width} * target.height > max_pixels) {
      // Kept apart from the failure of the decode that it becomes: the image is
      // sound, and its verdict must say so.
      refused = Status(
          Code::kUnsupported,
          "at a short side of " + std::to_string(output.short_side) +
              " it has more than " + std::to_string(max_pixels) + " pixels");
      return refused;
    }
    output.pixels.Reset(target, channels);
    if (rules.filter) continue;
    output.resampler.Begin({.in = box.size,
                            .out = target,
                            .channels = channels,
                            .filter = options.filter,
                            .order = options.order},
                           output.pixels.data(), output.pixels.stride());
  }
  return {};
}

std::uint8_t* Recoder::State::Room(std::uint32_t count) {
  if (strip_rows + count > strip.size().height) PushStrip();
  return count > strip.size().height ? nullptr : strip.row(strip_rows);
}

void Recoder::State::TakeRows(const std::uint8_t* rows, std::size_t stride,
                              std::uint32_t count) {
  // Rows may come from elsewhere: one that is longer than a strip gets no room
  // in it, and decoders are free to hand on memory of their own.
  if (rows == strip.row(strip_rows)) {
    strip_rows += count;
  } else {
    PushStrip();
    Push(rows, stride, count);
  }
}

void Recoder::State::PushStrip() {
  Push(strip.data(), strip.stride(), std::exchange(strip_rows, 0));
}

void Recoder::State::Push(const std::uint8_t* rows, std::size_t stride,
                          std::uint32_t count) {
  const std::uint32_t first = std::max(next_row, box.top);
  const std::uint32_t end =
      std::min(next_row + count, box.top + box.size.height);
  const std::uint8_t* from =
      rows + stride * (first - next_row) + std::size_t{box.left} * channels;
  next_row += count;
  if (first >= end) return;
  for (std::uint32_t y = first; rules.filter && y < end; ++y) {
    std::memcpy(whole.row(y - box.top), from + stride * (y - first),
                whole.stride());
  }
  if (rules.filter) return;
  for (Output& output : outputs) {
    if (!output.kept) output.resampler.Push(from, stride, end - first);
  }
}

void Recoder::State::ResizeOutputs() {
  for (Output& output : outputs) {
    if (!output.kept) OpenCvResize(whole.view(), *rules.filter, output.pixels);
  }
}

Result<std::vector<DecodeWarning>> Recoder::State::Decode(
    const DecodeLimits& limits, ByteView entry_points) {
  const bool gray = options.color == ColorMode::kGray;
  SHARDINE_RETURN_IF_ERROR(
      decoder.Open(image,
                   {.limits = limits,
                    .color = gray ? ColorMode::kGray : ColorMode::kKeep,
                    .apply_exif = options.apply_exif,
                    .samples = rules.samples,
                    .gray = rules.gray},
                   entry_points));
  auto decoded = decoder.Decode(*this);
  if (decoded.ok()) PushStrip();
  if (decoded.ok() && rules.filter) ResizeOutputs();
  return decoded;
}

ImageFacts Recoder::State::FactsOf(const PixelView& pixels) const {
  const bool jpeg = options.encoding == Encoding::kJpeg;
  return {.kind = jpeg ? ImageKind::kJpeg : ImageKind::kPng,
          .coding = jpeg ? ImageCoding::kBaseline : ImageCoding::kPng,
          .width = pixels.size.width,
          .height = pixels.size.height,
          .components = pixels.channels,
          .bits = 8};
}

Status Recoder::State::Encode(Output& output, RecodedImage& recoded) {
  recoded.kept = output.kept;
  if (output.kept) {
    recoded.bytes.Append(image);
    recoded.facts = source;
    return {};
  }
  PixelView pixels = output.pixels.view();
  recoded.upscaled = IsUpscaled(pixels.size);
  if (options.color == ColorMode::kColor && channels == 1) {
    SpreadGray(pixels, spread);
    pixels = spread.view();
  }
  recoded.facts = FactsOf(pixels);
  if (options.encoding == Encoding::kPng) {
    return EncodePng(pixels, {.level = options.png_level, .icc = icc.view()},
                     recoded.bytes);
  }
  return EncodeJpeg(pixels,
                    {.quality = options.quality,
                     .subsampling = options.subsampling,
                     .optimize = options.optimize,
                     .icc = icc.view()},
                    recoded.bytes);
}

Recoder::Recoder(const ImageOptions& options,
                 const std::vector<std::uint32_t>& short_sides,
                 const RecodeRules& rules)
    : state_(std::make_unique<State>(options, short_sides, rules)) {}
Recoder::~Recoder() = default;
Recoder::Recoder(Recoder&&) noexcept = default;
Recoder& Recoder::operator=(Recoder&&) noexcept = default;

// Sets the state that does not depend on the kind of source.
void Recoder::State::Reset(ByteView encoded, const ImageFacts& facts,
                           const DecodeLimits& limits,
                           std::span<RecodedImage> recoded) {
  SHARDINE_CHECK(recoded.size() == outputs.size());
  for (RecodedImage& output : recoded) {
    output.bytes.Resize(0);
    output.facts = {};
    output.upscaled = output.kept = false;
  }
  image = encoded;
  source = facts;
  max_pixels = limits.max_pixels;
  refused = Status();
}

RecodeResult Recoder::RecodeArray(const PixelView& array,
                                  std::span<RecodedImage> outputs,
                                  const DecodeLimits& limits) {
  State& state = *state_;
  // Without the facts of an encoding no output is taken for the source's bytes.
  state.Reset({}, {}, limits, outputs);
  RecodeResult result;
  const Status begun = state.Begin(array.size, array.channels);
  if (!begun.ok()) {
    result.verdict.reason = "too-large";
    result.verdict.detail = begun.message();
    return result;
  }
  state.Push(array.data, array.stride, array.size.height);
  if (state.rules.filter) state.ResizeOutputs();
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const PixelBuffer& pixels = state.outputs[i].pixels;
    outputs[i].bytes.Append(pixels.bytes());
    outputs[i].size = pixels.size();
    outputs[i].upscaled = state.IsUpscaled(pixels.size());
  }
  result.made = true;
  return result;
}

RecodeResult Recoder::Recode(ByteView image, std::span<RecodedImage> outputs,
                             const DecodeLimits& limits,
                             ByteView entry_points) {
  State& state = *state_;
  RecodeResult result;
  ImageVerdict& verdict = result.verdict;
  verdict = CheckImage(image, ImageCheck::kHeader, limits);
  state.Reset(image, verdict.facts, limits, outputs);
  state.icc = state.options.keep_icc ? ReadIccProfile(image) : ByteBuffer();
  const auto decoded = state.Decode(limits, entry_points);
  Status made = state.refused;
  for (std::size_t i = 0; made.ok() && decoded.ok() && i < outputs.size();
       ++i) {
    made = state.Encode(state.outputs[i], outputs[i]);
  }
  if (!made.ok()) {
    verdict.reason = "too-large";
    verdict.detail = made.message();
  } else if (verdict.good()) {
    JudgeDecode(decoded, verdict);
  }
  result.made = made.ok() && decoded.ok();
  return result;
}

}  // namespace shardine
