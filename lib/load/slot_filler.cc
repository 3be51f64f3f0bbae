#include "load/slot_filler.h"

#include <algorithm>
#include <string>
#include <utility>

#include "base/status_macros.h"
#include "image/undecoded_kind.h"
#include "load/mix_draws.h"
#include "load/one_hot.h"
#include "shard/dtype.h"
#include "shard/image_array.h"
#include "shard/payload.h"
#include "shardine/escape.h"

namespace shardine {
namespace {

// True for failures of a damaged sample; others concern more than one sample.
bool IsBadSample(const Status& status) {
  return status.code() == Code::kCorrupt || status.code() == Code::kUnsupported;
}

// The image of a sample: encoded, or an array.
Result<FieldView> ImageIn(const SampleRead& read, const std::string& name) {
  for (const FieldView& field : FieldsOf(read.entry, read.payload)) {
    if (field.name == name) return field;
  }
  if (name == kImageField) {
    return Status(Code::kUnsupported, "the sample has no image");
  }
  return Status(Code::kUnsupported,
                "the sample has no image \"" + EscapeBytes(name) + "\"");
}

// The pixels of an array that is an image; `arranged` has them where they do
// not lie as the view says.
Result<PixelView> PixelsIn(const FieldView& field, ArrayLayout layout,
                           ByteBuffer& arranged) {
  const auto image = ImageArrayOf(field.dtype, field.shape, layout);
  if (!image) return NotAnImage(field, layout);
  // The index refuses such an entry; the bytes may still differ, and must not
  // be read beyond their end.
  SHARDINE_RETURN_IF_ERROR(
      CheckFieldType(field.name, field.dtype, field.shape, field.bytes.size()));
  ByteView pixels = field.bytes;
  if (layout != ArrayLayout::kHwc) {
    ArrangePixels(*image, field.bytes, arranged);
    pixels = arranged.view();
  }
  return PixelView{reinterpret_cast<const std::uint8_t*>(pixels.data()),
                   image->size, image->channels,
                   std::size_t{image->size.width} * image->channels};
}

Status OtherType(const FieldView& field, const FieldSpec& spec) {
  std::string text = "the field \"" + EscapeBytes(spec.name) + "\" is ";
  if (spec.ragged) {
    return Status(Code::kUnsupported,
                  text + DescribeType(field.dtype, field.shape) +
                      "; a batch holds one type, which is " + spec.dtype +
                      " in the first sample that has the field");
  }
  text += DescribeType(field.dtype, field.shape) + ", not " +
          DescribeType(spec.dtype, spec.shape);
  // The remedy is named only where it would be enough.
  if (field.dtype == spec.dtype) text += "; shapes may differ if it is ragged";
  return Status(Code::kUnsupported, std::move(text));
}

// A sample may be without the field.
Status SetRaggedField(std::uint32_t number, const FieldView* field,
                      BatchBuffers& batch, FieldColumn& column) {
  const FieldSpec& spec = *column.spec;
  if (field == nullptr) {
    column.SetNothing(number);
    return {};
  }
  if (field->dtype != spec.dtype) return OtherType(*field, spec);
  // Counts of elements are made of the one, shapes are handed on of the other.
  SHARDINE_RETURN_IF_ERROR(CheckFieldType(field->name, field->dtype,
                                          field->shape, field->bytes.size()));
  ByteView bytes = field->bytes;
  // Elsewhere the payload goes with its chunk, before the batch is complete.
  if (!batch.layout->keeps_payloads()) {
    const std::span<std::byte> kept = batch.payloads.Get(bytes.size());
    std::ranges::copy(bytes, kept.begin());
    bytes = kept;
  }
  column.SetRagged(number, bytes, field->shape);
  return {};
}

// `fields` are views of the payload.
Status SetField(std::uint32_t number, std::span<const FieldView> fields,
                BatchBuffers& batch, FieldColumn& column) {
  const FieldSpec& spec = *column.spec;
  const auto field = std::ranges::find(fields, spec.name, &FieldView::name);
  const bool is_there = field != fields.end();
  if (spec.ragged) {
    return SetRaggedField(number, is_there ? &*field : nullptr, batch, column);
  }
  if (!is_there) {
    return Status(Code::kUnsupported,
                  "the sample has no field \"" + EscapeBytes(spec.name) +
                      "\", which it need not have if that is ragged");
  }
  if (field->dtype != spec.dtype ||
      !std::ranges::equal(field->shape, spec.shape)) {
    return OtherType(*field, spec);
  }
  if (spec.is_bytes()) {
    column.views[number] = field->bytes;
    return {};
  }
  // The slot has the size of the type, but the field has its own number of
  // bytes.
  const std::span<std::byte> slot = column.Slot(number);
  if (field->bytes.size() != slot.size()) {
    return CheckFieldType(spec.name, spec.dtype, spec.shape,
                          field->bytes.size());
  }
  std::ranges::copy(field->bytes, slot.begin());
  return {};
}

// Ragged arrays of zeros, each as the first that there is; no bytes.
void SetSyntheticFields(std::uint32_t number, BatchBuffers& batch) {
  const ByteView zeros(batch.layout->zeros);
  for (FieldColumn& column : batch.fields) {
    const FieldSpec& spec = *column.spec;
    if (!spec.ragged) continue;
    // The size was checked when the layout was made, as the type was.
    const auto bytes =
        spec.is_bytes() ? 0 : *ArrayBytes(spec.dtype, spec.shape);
    column.SetRagged(number, zeros.first(static_cast<std::size_t>(bytes)),
                     spec.shape);
  }
}

Status SetFields(const Slot& slot, const SampleRead& read,
                 FieldFollower& follower,
                 std::span<const DrawnGeometry* const> drawn,
                 BatchBuffers& batch) {
  const std::vector<FieldView> fields = FieldsOf(read.entry, read.payload);
  for (FieldColumn& column : batch.fields) {
    if (column.spec->follow != FollowKind::kStay) continue;
    SHARDINE_RETURN_IF_ERROR(SetField(slot.number, fields, batch, column));
  }
  if (!follower.has_fields()) return {};
  return follower.Set(slot.number, fields, drawn, batch);
}

}  // namespace

SlotFiller::SlotFiller(const LoaderOptions& options, ProvedSamples* proved)
    : options_(options), proved_(proved), follower_(options) {
  if (!options.transform) return;
  views_.emplace_back(*options.transform, options.pixels,
                      !options.buckets.empty());
  for (const Transform& view : options.more_views) {
    views_.emplace_back(view, options.pixels);
  }
  for (const ViewMaker& view : views_) drawn_.push_back(&view.drawn());
}

Status SlotFiller::Fill(const Slot& slot, Status read_status,
                        const SampleSource& source, SampleRead& read,
                        BatchBuffers& batch) {
  if (options_.synthetic) {
    SetSynthetic(slot, batch);
    return {};
  }
  Status status = std::move(read_status);
  // Nothing is wrong with a sample that is compressed.
  if (!status.ok() && IsBadSample(status) && !read.is_nowhere &&
      options_.on_bad != OnBadSample::kFail) {
    // The payload may be damaged; its sample must be known.
    SHARDINE_ASSIGN_OR_RETURN(read.entry, source.Entry(slot.position));
  } else if (!status.ok()) {
    return status;
  }
  SHARDINE_RETURN_IF_ERROR(SetFacts(slot, read.entry, batch));
  is_undecoded_ = false;
  if (status.ok()) status = SetContent(slot, read, batch);
  if (status.ok()) return status;
  if (is_undecoded_) {
    if (options_.unsupported == OnUnsupported::kFail) {
      return Status(
          Code::kUnsupported,
          status.message() + "; unsupported \"drop\" leaves such samples out");
    }
    batch.dropped[slot.number] = 1;
    tolerated_ = Tolerated{std::move(status), true};
    return {};
  }
  if (!IsBadSample(status) || options_.on_bad == OnBadSample::kFail) {
    return status;
  }
  if (options_.on_bad == OnBadSample::kDrop) {
    batch.dropped[slot.number] = 1;
  } else {
    SetGray(slot, batch);
  }
  tolerated_ = Tolerated{std::move(status), false};
  return {};
}

Status SlotFiller::SetFacts(const Slot& slot, const IndexEntry& entry,
                            BatchBuffers& batch) const {
  // These are set before anything can fail, so that a bad sample is reported by
  // its id.
  batch.ids[slot.number] = entry.id;
  batch.positions[slot.number] = slot.position;
  SetMix(slot, batch);
  batch.repetitions[slot.number] = slot.repetition;
  const std::uint32_t labels_each = batch.layout->labels_per_sample();
  if (entry.labels.size() != labels_each) {
    return Status(Code::kUnsupported, "has " +
                                          std::to_string(entry.labels.size()) +
                                          " labels, the first sample " +
                                          std::to_string(labels_each));
  }
  if (options_.one_hot.classes > 0) {
    SHARDINE_RETURN_IF_ERROR(CheckClass(options_.one_hot, entry.labels[0]));
  }
  std::ranges::copy(
      entry.labels,
      batch.labels.begin() + std::ptrdiff_t{slot.number} * labels_each);
  return {};
}

void SlotFiller::SetMix(const Slot& slot, BatchBuffers& batch) const {
  if (batch.mix.empty()) return;
  const SampleDraws draws(options_.seed, batch.ids[slot.number], slot.epoch, 0,
                          slot.repetition);
  batch.mix[slot.number] = DrawMix(options_.mix, draws, batch.views[0].size);
}

Status SlotFiller::SetContent(const Slot& slot, const SampleRead& read,
                              BatchBuffers& batch) {
  if (options_.transform) {
    const Status decoded = Decode(slot, read, batch);
    if (!decoded.ok()) {
      is_undecoded_ = IsBadSample(decoded) && IsUndecoded(read, decoded);
      return decoded;
    }
  }
  return batch.fields.empty() ? Status()
                              : SetFields(slot, read, follower_, drawn_, batch);
}

Status SlotFiller::Decode(const Slot& slot, const SampleRead& read,
                          BatchBuffers& batch) {
  SHARDINE_ASSIGN_OR_RETURN(const PixelSize size, OpenImage(slot, read));
  // The draws depend on seed, id, epoch, repetition and view alone: a sample
  // has the same crop whichever rank, thread or batch it is in.
  const auto draws_of = [&](std::size_t view) {
    return SampleDraws(options_.seed, read.entry.id, slot.epoch,
                       static_cast<std::uint32_t>(view), slot.repetition);
  };
  targets_.clear();
  for (std::size_t view = 0; view < views_.size(); ++view) {
    ViewColumn& column = batch.views[view];
    SHARDINE_ASSIGN_OR_RETURN(
        column.boxes[slot.number],
        views_[view].Plan(size, draws_of(view), column.size));
    targets_.push_back(views_[view].Target(column.Slot(slot.number)));
  }
  const Status made = Resample();
  // Counted after a failure, too: points that lead into the wrong place may be
  // why it failed.
  const bool decoded = array_.data == nullptr;
  refused_ += decoded && decoder_.refused_entry_points() ? 1 : 0;
  if (!made.ok()) return made;
  for (std::size_t view = 0; view < views_.size(); ++view) {
    SHARDINE_RETURN_IF_ERROR(views_[view].Finish(
        draws_of(view), batch.views[view].Slot(slot.number)));
  }
  return {};
}

// Whether it is the image's kind, and no damage, that kept it from being
// decoded.
bool SlotFiller::IsUndecoded(const SampleRead& read,
                             const Status& failure) const {
  const auto image = ImageIn(read, options_.image);
  if (!image.ok()) return false;
  return image->dtype == kBytesDtype
             ? IsOfUndecodedKind(image->bytes, failure)
             : !ImageArrayOf(image->dtype, image->shape, options_.image_layout);
}

// The size of the image, which is ready to be resampled then.
Result<PixelSize> SlotFiller::OpenImage(const Slot& slot,
                                        const SampleRead& read) {
  SHARDINE_ASSIGN_OR_RETURN(const FieldView image,
                            ImageIn(read, options_.image));
  array_ = {};
  if (image.dtype != kBytesDtype) {
    SHARDINE_ASSIGN_OR_RETURN(
        array_, PixelsIn(image, options_.image_layout, arranged_));
    return array_.size;
  }
  if (options_.gray) {
    SHARDINE_RETURN_IF_ERROR(ReadGray(image.bytes));
    array_ = gray_.view();
    return array_.size;
  }
  SHARDINE_RETURN_IF_ERROR(decoder_.Open(
      image.bytes,
      {.color = ColorMode::kColor, .apply_exif = options_.pixels.apply_exif},
      read.entry_points.view()));
  if (!read.entry_points.view().empty()) ProveEntryPoints(slot);
  return decoder_.size();
}

// Decoded whole: regions exist for colors alone.
Status SlotFiller::ReadGray(ByteView image) {
  SHARDINE_ASSIGN_OR_RETURN(
      const std::vector<DecodeWarning> warnings,
      DecodeImage(image,
                  {.color = ColorMode::kGray,
                   .apply_exif = options_.pixels.apply_exif,
                   .samples = ColorRule::kOpenCv,
                   .gray = ColorRule::kOpenCv},
                  gray_));
  if (warnings.empty()) return {};
  return Status(Code::kCorrupt, warnings.front().text);
}

// Once for each sample, if that is asked for. A sample whose points are wrong
// is not remembered: the next use finds it again.
void SlotFiller::ProveEntryPoints(const Slot& slot) {
  if (proved_ == nullptr || proved_->Has(slot.position)) return;
  if (decoder_.ProveEntryPoints()) proved_->Add(slot.position);
}

Status SlotFiller::Resample() {
  if (array_.data != nullptr) {
    for (const auto& [region, target, out, stride] : targets_) {
      SHARDINE_RETURN_IF_ERROR(
          array_resampler_.Resample(array_, region, target, out, stride));
    }
    return {};
  }
  SHARDINE_ASSIGN_OR_RETURN(const ImageDecoder::Warnings warnings,
                            decoder_.Resample(targets_));
  if (warnings.empty()) return {};
  return Status(Code::kCorrupt, warnings.front().text);
}

void SlotFiller::SetSynthetic(const Slot& slot, BatchBuffers& batch) {
  // The index is not read either: the measurement is the trainer's speed if
  // loading cost nothing.
  batch.ids[slot.number] = slot.position;
  batch.positions[slot.number] = slot.position;
  SetMix(slot, batch);
  batch.repetitions[slot.number] = slot.repetition;
  const std::vector<Label>& labels = batch.layout->first_labels;
  std::ranges::copy(labels, batch.labels.begin() +
                                std::ptrdiff_t{slot.number} *
                                    static_cast<std::ptrdiff_t>(labels.size()));
  SetSyntheticFields(slot.number, batch);
  for (std::size_t view = 0; view < views_.size(); ++view) {
    ViewColumn& column = batch.views[view];
    views_[view].SetNoise(column.size, column.Slot(slot.number));
  }
}

void SlotFiller::SetGray(const Slot& slot, BatchBuffers& batch) {
  batch.bad[slot.number] = 1;
  for (FieldColumn& field : batch.fields) field.SetNothing(slot.number);
  for (ViewColumn& column : batch.views) column.boxes[slot.number] = {};
  for (std::size_t view = 0; view < views_.size(); ++view) {
    ViewColumn& column = batch.views[view];
    views_[view].SetGray(column.size, column.Slot(slot.number));
  }
}

}  // namespace shardine
