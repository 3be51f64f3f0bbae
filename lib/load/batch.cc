#include "shardine/batch.h"

#include <utility>

#include "load/batch_buffers.h"

namespace shardine {

Batch::Batch(std::shared_ptr<BatchBuffers> buffers)
    : buffers_(std::move(buffers)) {}
Batch::Batch(Batch&&) noexcept = default;
Batch& Batch::operator=(Batch&&) noexcept = default;
Batch::~Batch() = default;

std::uint32_t Batch::size() const { return buffers_->shape.samples; }
std::size_t Batch::views() const { return buffers_->views.size(); }

BatchShape Batch::shape(std::size_t view) const {
  BatchShape shape = buffers_->shape;
  const PixelSize pixels = buffers_->views[view].size;
  shape.width = pixels.width;
  shape.height = pixels.height;
  return shape;
}

std::span<std::byte> Batch::pixels(std::size_t view) const {
  ViewColumn& column = buffers_->views[view];
  return column.pixels.bytes().first(column.slot_bytes * size());
}

std::span<const CropBox> Batch::boxes(std::size_t view) const {
  return std::span(buffers_->views[view].boxes).first(size());
}

std::span<const std::span<const std::byte>> Batch::records() const {
  for (const BatchField& field : fields()) {
    if (field.name == buffers_->layout->image) return field.bytes;
  }
  return {};
}

std::vector<BatchField> Batch::fields() const {
  std::vector<BatchField> fields;
  fields.reserve(buffers_->fields.size());
  for (FieldColumn& column : buffers_->fields) {
    const FieldSpec& spec = *column.spec;
    BatchField field{
        .name = spec.name, .dtype = spec.dtype, .shape = column.sides};
    field.follows = spec.follow != FollowKind::kStay;
    field.view = spec.view;
    if (spec.is_bytes()) {
      field.bytes = std::span(column.views).first(size());
    } else if (spec.ragged) {
      field.values = column.values.bytes();
      field.offsets = column.offsets;
      field.shapes = std::span(column.shapes).first(size());
    } else {
      field.values = column.values.bytes().first(column.bytes_each * size());
    }
    if (spec.ragged) field.present = std::span(column.present).first(size());
    fields.push_back(field);
  }
  return fields;
}

std::span<const std::uint64_t> Batch::ids() const {
  return std::span(buffers_->ids).first(size());
}

std::uint32_t Batch::labels_per_sample() const {
  return buffers_->layout->labels_per_sample();
}

std::span<const Label> Batch::labels() const {
  return std::span(buffers_->labels)
      .first(std::size_t{size()} * labels_per_sample());
}

std::span<const MixFactor> Batch::mix() const { return buffers_->mix; }

std::span<const float> Batch::one_hot() const {
  return std::span(buffers_->one_hot)
      .first(std::size_t{size()} * buffers_->layout->one_hot.classes);
}

std::span<const std::uint64_t> Batch::positions() const {
  return std::span(buffers_->positions).first(size());
}

std::span<const std::uint64_t> Batch::repetitions() const {
  return std::span(buffers_->repetitions).first(size());
}

std::span<const std::uint8_t> Batch::bad() const {
  return std::span(buffers_->bad).first(size());
}

std::uint32_t Batch::padding() const { return buffers_->padding; }
std::uint64_t Batch::epoch() const { return buffers_->epoch; }

}  // namespace shardine
