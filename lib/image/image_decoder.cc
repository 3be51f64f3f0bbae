#include "image/image_decoder.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <utility>

#include "base/status_macros.h"
#include "image/frame_limits.h"
#include "image/image_kind.h"
#include "image/jpeg_decode.h"
#include "image/library_image.h"
#include "image/png_decode.h"
#include "image/probe.h"
#include "image/region_groups.h"
#include "pixels/buffer_sink.h"
#include "pixels/crop_sink.h"
#include "pixels/orientation.h"
#include "pixels/resampler.h"
#include "pixels/row_emitter.h"

namespace shardine {
namespace {

// Rows handed over at a time: with a resampler's output they should stay in the
// first-level cache.
constexpr std::uint32_t kRowsAtOnce = 16;

class ResampleSink final : public RowSink {
 public:
  // `spec` but for the channels.
  ResampleSink(Resampler& resampler, const ResampleSpec& spec,
               std::uint8_t* out, std::size_t stride)
      : resampler_(resampler), spec_(spec), out_(out), stride_(stride) {}

  Status Begin(PixelSize /*size*/, std::uint8_t channels) override {
    spec_.channels = channels;
    resampler_.Begin(spec_, out_, stride_);
    return {};
  }
  void TakeRows(const std::uint8_t* rows, std::size_t stride,
                std::uint32_t count) override {
    resampler_.Push(rows, stride, count);
  }

 private:
  Resampler& resampler_;
  ResampleSpec spec_;
  std::uint8_t* const out_;
  const std::size_t stride_;
};

// Hands the same rows to several.
class SplitSink final : public RowSink {
 public:
  void Add(const Region& region, RowSink& sink) {
    parts_.emplace_back(region, sink);
  }

  Status Begin(PixelSize size, std::uint8_t channels) override {
    for (CropSink& part : parts_) {
      SHARDINE_RETURN_IF_ERROR(part.Begin(size, channels));
    }
    return {};
  }
  void TakeRows(const std::uint8_t* rows, std::size_t stride,
                std::uint32_t count) override {
    for (CropSink& part : parts_) part.TakeRows(rows, stride, count);
  }

 private:
  std::vector<CropSink> parts_;
};

ResampleSpec SpecOf(const RegionTarget& target) {
  return {.in = {target.region.width, target.region.height},
          .out = target.target.size,
          .filter = target.target.filter,
          .order = target.target.order,
          .flip = target.target.flip,
          .part = target.target.part};
}

}  // namespace

struct ImageDecoder::State {
  Result<Warnings> DecodeStored(const Region& region, RowSink& sink);
  Result<bool> DecodeByUs(const Region& region, RowSink& sink);
  void RefuseEntryPoints() {
    refused = refused || !entry_points.empty();
    entry_points = {};
  }
  Result<Warnings> DecodeByLibrary(const Region& region, RowSink& sink);
  Result<Warnings> DecodeTurned(const Region& region, RowSink& sink);
  std::vector<RegionGroup> GroupsOf(std::span<const Region> regions) const;

  ByteView image;
  ByteView entry_points;
  ImageDecodeOptions options;
  ImageKind kind = ImageKind::kUnknown;
  bool ours = false;     // our decoder can read `frame`
  bool refused = false;  // the entry points
  JpegFrame frame;
  PixelSize stored;  // before turning
  std::uint8_t orientation = 1;

  BaselineDecoder baseline;
  PixelBuffer library_pixels;
  std::vector<Resampler> resamplers;  // one for each region at a time
};

Status ImageDecoder::Open(ByteView image, const ImageDecodeOptions& options,
                          ByteView entry_points) {
  State& state = *state_;
  state.image = image;
  state.entry_points = entry_points;
  state.options = options;
  state.refused = false;
  state.kind = DetectImageKind(image);
  state.orientation = 1;
  state.ours = state.kind == ImageKind::kJpeg &&
               ReadJpegFrame(image, state.frame) &&
               AllowsFrame(state.frame, image.size(), options.limits);
  // Our decoder has no pixels but RGB of a color photo.
  if (options.color_target().wants_luma()) state.ours = false;
  // The frame says all that is needed: only the orientation takes a walk over
  // the other segments.
  if (state.ours && !options.apply_exif) {
    state.stored = {state.frame.width, state.frame.height};
    return {};
  }
  const ProbeResult probe = ProbeImage(image);
  const bool by_library = IsLibraryKind(state.kind);
  if (by_library && probe.problem != ImageProblem::kNone &&
      probe.problem != ImageProblem::kUnsupported) {
    return Status(Code::kCorrupt, probe.detail).At({.offset = probe.offset});
  }
  const bool decoded = by_library ? probe.problem == ImageProblem::kNone
                                  : state.kind == ImageKind::kJpeg ||
                                        state.kind == ImageKind::kPng;
  if (!decoded) return Status(Code::kUnsupported, probe.detail);
  state.stored = {probe.facts.width, probe.facts.height};
  // 0: not stated.
  if (options.apply_exif && probe.facts.orientation > 1) {
    state.orientation = probe.facts.orientation;
  }
  return {};
}

bool ImageDecoder::ProveEntryPoints() {
  State& state = *state_;
  if (!state.ours || state.entry_points.empty()) return true;
  if (state.baseline.ProveEntryPoints(state.image, state.frame,
                                      state.entry_points)) {
    return true;
  }
  state.RefuseEntryPoints();
  return false;
}

bool ImageDecoder::refused_entry_points() const { return state_->refused; }

PixelSize ImageDecoder::size() const {
  const PixelSize stored = state_->stored;
  if (SwapsSides(state_->orientation)) return {stored.height, stored.width};
  return stored;
}

// False where libjpeg-turbo has to decode instead.
Result<bool> ImageDecoder::State::DecodeByUs(const Region& region,
                                             RowSink& sink) {
  // Wrong entry points are worse than none.
  if (!baseline.Begin(image, frame, region, entry_points)) {
    if (entry_points.empty()) return false;
    RefuseEntryPoints();
    if (!baseline.Begin(image, frame, region, {})) return false;
  }
  RowEmitter emitter(sink, options.color_target());
  SHARDINE_RETURN_IF_ERROR(
      emitter.Begin({region.width, region.height},
                    static_cast<StoredColor>(baseline.channels()), kRowsAtOnce,
                    options.limits.max_memory));
  for (std::uint32_t y = 0; y < region.height; y += kRowsAtOnce) {
    const std::uint32_t count = std::min(kRowsAtOnce, region.height - y);
    std::uint8_t* const rows = emitter.Room(count);
    if (!baseline.ReadRows(rows, emitter.stride(), count)) {
      // The image may be to blame as well: libjpeg will say.
      RefuseEntryPoints();
      return false;
    }
    emitter.Emit(count);
  }
  const bool whole = PixelSize{region.width, region.height} == stored;
  return !whole || baseline.Finish();
}

Result<ImageDecoder::Warnings> ImageDecoder::State::DecodeByLibrary(
    const Region& region, RowSink& sink) {
  const bool whole = PixelSize{region.width, region.height} == stored;
  if (IsLibraryKind(kind)) {
    SHARDINE_RETURN_IF_ERROR(
        DecodeLibraryImage(image,
                           {.kind = kind,
                            .region = region,
                            .limits = options.limits,
                            .color = options.color_target()},
                           library_pixels, sink));
    return Warnings();
  }
  CropSink crop(region, sink);
  RowSink& rows = whole ? sink : static_cast<RowSink&>(crop);
  if (kind == ImageKind::kJpeg) {
    const std::uint32_t end = region.y + region.height;
    return DecodeJpeg(image, options.limits, options.color_target(), rows,
                      whole ? std::nullopt : std::optional(end));
  }
  // A PNG is read to its end, whatever the region: its checksums come last.
  SHARDINE_RETURN_IF_ERROR(
      DecodePng(image, options.limits, options.color_target(), rows));
  return Warnings();
}

// The region is one of the image as it is stored, before it is turned.
Result<ImageDecoder::Warnings> ImageDecoder::State::DecodeStored(
    const Region& region, RowSink& sink) {
  if (ours) {
    SHARDINE_ASSIGN_OR_RETURN(const bool done, DecodeByUs(region, sink));
    if (done) return Warnings();
  }
  return DecodeByLibrary(region, sink);
}

Result<ImageDecoder::Warnings> ImageDecoder::State::DecodeTurned(
    const Region& region, RowSink& sink) {
  const std::uint64_t pixels = std::uint64_t{stored.width} * stored.height;
  // Both copies of the pixels are there at a time, three bytes a pixel each.
  if (pixels > options.limits.max_memory / 6) {
    return Status(Code::kUnsupported,
                  "turning needs more than " +
                      std::to_string(options.limits.max_memory) + " bytes");
  }
  PixelBuffer upright;
  Warnings warnings;
  {
    PixelBuffer as_stored;
    BufferSink buffer(as_stored);
    SHARDINE_ASSIGN_OR_RETURN(
        warnings, DecodeStored({0, 0, stored.width, stored.height}, buffer));
    ApplyOrientation(as_stored.view(), orientation, upright);
  }
  CropSink crop(region, sink);
  SHARDINE_RETURN_IF_ERROR(crop.Begin(upright.size(), upright.channels()));
  crop.TakeRows(upright.data(), upright.stride(), upright.size().height);
  return warnings;
}

// An image that is decoded from its beginning is decoded once.
std::vector<RegionGroup> ImageDecoder::State::GroupsOf(
    std::span<const Region> regions) const {
  if (ours && orientation == 1) return GroupRegions(regions);
  RegionGroup all{regions[0], {0}};
  for (std::size_t i = 1; i < regions.size(); ++i) {
    all.bounds = BoundsOf(all.bounds, regions[i]);
    all.members.push_back(i);
  }
  return {all};
}

ImageDecoder::ImageDecoder() : state_(std::make_unique<State>()) {}
ImageDecoder::~ImageDecoder() = default;
ImageDecoder::ImageDecoder(ImageDecoder&&) noexcept = default;
ImageDecoder& ImageDecoder::operator=(ImageDecoder&&) noexcept = default;

Result<ImageDecoder::Warnings> ImageDecoder::Decode(RowSink& sink) {
  State& state = *state_;
  const auto [width, height] = size();
  const Region whole{0, 0, width, height};
  return state.orientation > 1 ? state.DecodeTurned(whole, sink)
                               : state.DecodeStored(whole, sink);
}

Result<ImageDecoder::Warnings> ImageDecoder::DecodeRegion(const Region& region,
                                                          RowSink& sink) {
  State& state = *state_;
  if (state.stored.width > 0)
    SHARDINE_RETURN_IF_ERROR(CheckRegion(region, size()));
  return state.orientation > 1 ? state.DecodeTurned(region, sink)
                               : state.DecodeStored(region, sink);
}

// The region of the image that each target is made of.
Result<std::vector<Region>> ImageDecoder::NeededRegions(
    std::span<const RegionTarget> targets) const {
  std::vector<Region> needed;
  needed.reserve(targets.size());
  for (const RegionTarget& each : targets) {
    Region& region = needed.emplace_back(each.region);
    // Where the header cannot be read, decoding will say why.
    if (state_->stored.width == 0 && region.width > 0 && region.height > 0) {
      continue;
    }
    SHARDINE_RETURN_IF_ERROR(CheckRegion(region, size()));
    const Region input = InputOf(SpecOf(each));
    region = {region.x + input.x, region.y + input.y, input.width,
              input.height};
  }
  return needed;
}

Result<ImageDecoder::Warnings> ImageDecoder::Resample(
    std::span<const RegionTarget> targets) {
  State& state = *state_;
  SHARDINE_ASSIGN_OR_RETURN(const std::vector<Region> needed,
                            NeededRegions(targets));
  if (state.resamplers.size() < targets.size()) {
    state.resamplers.resize(targets.size());
  }
  std::vector<ResampleSink> sinks;
  sinks.reserve(targets.size());
  for (std::size_t i = 0; i < targets.size(); ++i) {
    sinks.emplace_back(state.resamplers[i], SpecOf(targets[i]), targets[i].out,
                       targets[i].stride);
  }
  if (targets.size() == 1) return DecodeRegion(needed[0], sinks[0]);
  Warnings warnings;
  for (const RegionGroup& group : state.GroupsOf(needed)) {
    SplitSink split;
    for (const std::size_t i : group.members) {
      const Region& part = needed[i];
      split.Add({part.x - group.bounds.x, part.y - group.bounds.y, part.width,
                 part.height},
                sinks[i]);
    }
    SHARDINE_ASSIGN_OR_RETURN(Warnings more, DecodeRegion(group.bounds, split));
    std::ranges::move(more, std::back_inserter(warnings));
  }
  return warnings;
}

}  // namespace shardine
