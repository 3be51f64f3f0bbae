#include "load/slot_filler.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "base/status_macros.h"
#include "shard/encoded_image.h"
#include "shard/payload.h"

namespace shardine {
namespace {

constexpr std::uint32_t kChannels = 3;
constexpr std::uint8_t kGray = 128;

// The encoded image of a sample.
Result<ByteView> ImageIn(const SampleRead& read) {
  const auto fields = FieldsOf(read.entry, read.payload.view());
  const FieldView* image = FindEncodedImage(fields);
  if (image != nullptr) return image->bytes;
  return Status(Code::kUnsupported, "the sample has no encoded image");
}

}  // namespace

Status SlotFiller::SetFacts(const Slot& slot, const IndexEntry& entry,
                            BatchBuffers& batch) const {
  batch.ids[slot.number] = entry.id;
  batch.positions[slot.number] = slot.position;
  if (entry.labels.size() != batch.labels_per_sample) {
    return Status(Code::kUnsupported,
                  "has " + std::to_string(entry.labels.size()) +
                      " labels, the first sample " +
                      std::to_string(batch.labels_per_sample));
  }
  std::copy(entry.labels.begin(), entry.labels.end(),
            batch.labels.begin() +
                static_cast<std::ptrdiff_t>(std::size_t{slot.number} *
                                            batch.labels_per_sample));
  return {};
}

Status SlotFiller::SetContent(const Slot& slot, SampleRead& read,
                              BatchBuffers& batch) {
  if (options_.transform) return Decode(slot, read, batch);
  SHARDINE_ASSIGN_OR_RETURN(const ByteView image, ImageIn(read));
  const std::size_t begin =
      static_cast<std::size_t>(image.data() - read.payload.data());
  ByteBuffer& payload = batch.payloads[slot.number];
  std::swap(payload, read.payload);
  batch.records[slot.number] = payload.view().subspan(begin, image.size());
  return {};
}

Status SlotFiller::Decode(const Slot& slot, SampleRead& read,
                          BatchBuffers& batch) {
  SHARDINE_ASSIGN_OR_RETURN(const ByteView image, ImageIn(read));
  SHARDINE_RETURN_IF_ERROR(decoder_.Open(
      image,
      {.color = ColorMode::kColor, .apply_exif = options_.pixels.apply_exif},
      read.entry_points.view()));
  const PixelSize size = decoder_.size();
  const SampleDraws draws(options_.seed, read.entry.id, slot.epoch);
  SHARDINE_ASSIGN_OR_RETURN(
      const CropPlan plan,
      (*planner_)(size, draws, {batch.shape.width, batch.shape.height}));
  batch.boxes[slot.number] = {plan.box.x, plan.box.y, plan.box.width,
                              plan.box.height, plan.flip};
  return MakePixels(plan, batch.Slot(slot.number));
}

// Into an image of plan.size, its rows without padding.
Status SlotFiller::Resample(const CropPlan& plan, std::uint8_t* out) {
  const std::size_t stride = std::size_t{plan.size.width} * kChannels;
  if (plan.has_black()) std::memset(out, 0, stride * plan.size.height);
  const ResampleTarget target{.size = plan.resized,
                              .filter = options_.pixels.filter,
                              .order = options_.pixels.order,
                              .flip = plan.flip,
                              .part = plan.kept()};
  out += stride * plan.top() + std::size_t{plan.left()} * kChannels;
  SHARDINE_ASSIGN_OR_RETURN(const ImageDecoder::Warnings warnings,
                            decoder_.Resample(plan.box, target, out, stride));
  if (warnings.empty()) return {};
  return Status(Code::kCorrupt, warnings.front().text);
}

Status SlotFiller::MakePixels(const CropPlan& plan, std::span<std::byte> out) {
  if (KeepsPixels(options_.pixels)) {
    return Resample(plan, reinterpret_cast<std::uint8_t*>(out.data()));
  }
  cut_.Reset(plan.size, kChannels);
  SHARDINE_RETURN_IF_ERROR(Resample(plan, cut_.data()));
  normalizer_(cut_.view(), out.data());
  return {};
}

void SlotFiller::SetGray(const Slot& slot, BatchBuffers& batch) {
  batch.bad[slot.number] = 1;
  batch.boxes[slot.number] = {};
  if (!options_.transform) {
    batch.records[slot.number] = {};
    return;
  }
  cut_.Reset({batch.shape.width, batch.shape.height}, kChannels);
  std::memset(cut_.data(), kGray, cut_.bytes().size());
  normalizer_(cut_.view(), batch.Slot(slot.number).data());
}

}  // namespace shardine
