#include "load/batch_buffers.h"

#include <algorithm>
#include <utility>

#include "load/one_hot.h"
#include "pixels/normalizer.h"
#include "shard/dtype.h"

namespace shardine {

void AlignedBytes::Resize(std::size_t bytes) {
  // Never smaller: growing again would fill the memory with zeros once more.
  const std::size_t lines = (bytes + sizeof(Line) - 1) / sizeof(Line);
  if (lines > lines_.size()) lines_.resize(lines);
  size_ = bytes;
}

void FieldColumn::Reset(const FieldSpec& field, std::uint32_t samples,
                        PixelSize pixels) {
  spec = &field;
  sides = field.shape;
  bytes_each = field.bytes_each;
  if (field.is_mask()) {
    sides[0] = pixels.height;
    sides[1] = pixels.width;
    bytes_each =
        std::size_t{pixels.height} * pixels.width * field.element.size();
  }
  values.Resize(bytes_each * samples);
  views.assign(samples, {});
  if (!field.ragged) return;
  present.assign(samples, 0);
  shapes.resize(samples);
  for (auto& shape : shapes) shape.clear();
  offsets.assign(1, 0);
}

void FieldColumn::Move(std::uint32_t from, std::uint32_t to) {
  std::ranges::copy(Slot(from), Slot(to).begin());
  views[to] = views[from];
  if (!spec->ragged) return;
  present[to] = present[from];
  shapes[to].swap(shapes[from]);
}

void FieldColumn::SetNothing(std::uint32_t number) {
  const std::span<std::byte> slot = Slot(number);
  const std::vector<std::byte>& element = spec->element;
  for (std::size_t i = 0; i < slot.size(); ++i) {
    slot[i] = element.empty() ? std::byte{0} : element[i % element.size()];
  }
  views[number] = {};
  if (!spec->ragged) return;
  present[number] = 0;
  shapes[number].clear();
}

void FieldColumn::SetRagged(std::uint32_t number,
                            std::span<const std::byte> bytes,
                            std::span<const std::uint64_t> shape) {
  present[number] = 1;
  shapes[number].assign(shape.begin(), shape.end());
  views[number] = bytes;
}

void FieldColumn::Join(std::span<const std::uint8_t> dropped) {
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < views.size(); ++i) {
    if (dropped[i] == 0) bytes += views[i].size();
  }
  values.Resize(bytes);
  // The maker of the layout made sure that elements have bytes.
  const std::uint64_t element = *DtypeBytes(spec->dtype);
  std::byte* to = values.bytes().data();
  offsets.assign(1, 0);
  for (std::size_t i = 0; i < views.size(); ++i) {
    if (dropped[i] == 0) {
      to = std::ranges::copy(views[i], to).out;
      offsets.push_back(offsets.back() + views[i].size() / element);
    }
    // The payload need not stay.
    views[i] = {};
  }
}

void ViewColumn::Reset(PixelSize image, std::size_t value_bytes,
                       const BatchShape& batch_shape) {
  size = image;
  slot_bytes = std::size_t{size.height} * size.width * batch_shape.channels *
               value_bytes;
  pixels.Resize(slot_bytes * batch_shape.samples);
  boxes.assign(batch_shape.samples, CropBox());
}

void BatchBuffers::Reset(const BatchShape& batch_shape,
                         std::shared_ptr<const BatchLayout> batch_layout) {
  shape = batch_shape;
  layout = std::move(batch_layout);
  views.resize(1 + layout->more_views.size());
  const std::size_t value_bytes = BytesPerValue(layout->type);
  views[0].Reset({shape.width, shape.height}, value_bytes, shape);
  for (std::size_t i = 1; i < views.size(); ++i) {
    views[i].Reset(layout->more_views[i - 1], value_bytes, shape);
  }
  ids.assign(shape.samples, 0);
  positions.assign(shape.samples, 0);
  repetitions.assign(shape.samples, 0);
  labels.assign(std::size_t{shape.samples} * layout->labels_per_sample(),
                Label());
  bad.assign(shape.samples, 0);
  dropped.assign(shape.samples, 0);
  fields.resize(layout->fields.size());
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const FieldSpec& field = layout->fields[i];
    fields[i].Reset(field, shape.samples, views[field.view].size);
  }
  mix.assign(layout->has_mix() ? shape.samples : 0, MixFactor());
  one_hot.resize(std::size_t{shape.samples} * layout->one_hot.classes);
}

// Capacity counts, not size: buffers that once held a larger batch keep that
// memory.
std::size_t BatchBuffers::memory() const {
  std::size_t bytes = 0;
  for (const ViewColumn& view : views) bytes += view.pixels.capacity();
  for (const FieldColumn& field : fields) bytes += field.values.capacity();
  return bytes + one_hot.capacity() * sizeof(float);
}

// REQUIRES: to < from. Slots are copied downwards and never overlap; views
// point into payloads, which stay where they are.
void BatchBuffers::Move(std::uint32_t from, std::uint32_t to) {
  ids[to] = ids[from];
  positions[to] = positions[from];
  repetitions[to] = repetitions[from];
  bad[to] = bad[from];
  if (!mix.empty()) mix[to] = mix[from];
  const std::uint32_t labels_each = layout->labels_per_sample();
  std::copy_n(labels.begin() + std::ptrdiff_t{from} * labels_each, labels_each,
              labels.begin() + std::ptrdiff_t{to} * labels_each);
  for (ViewColumn& view : views) {
    std::ranges::copy(view.Slot(from), view.Slot(to).begin());
    view.boxes[to] = view.boxes[from];
  }
  for (FieldColumn& field : fields) field.Move(from, to);
}

void BatchBuffers::Complete() {
  Join();
  Compact();
  CompleteMix();
  if (layout->one_hot.classes == 0) return;
  const std::size_t samples = shape.samples;
  WriteOneHot(layout->one_hot, std::span(labels).first(samples), mix, one_hot);
}

// Partners are those of the samples that are left, and so is the one whose
// draws are the batch's.
void BatchBuffers::CompleteMix() {
  if (mix.empty()) return;
  mix.resize(shape.samples);
  for (std::uint32_t i = 0; i < shape.samples; ++i) {
    if (layout->mix.per == MixPer::kBatch) mix[i] = mix[0];
    mix[i].partner = i == 0 ? shape.samples - 1 : i - 1;
  }
}

// In one go, since no slot knows where the ones before it will end.
void BatchBuffers::Join() {
  if (!layout->has_ragged_arrays()) return;
  for (FieldColumn& field : fields) {
    if (field.spec->is_ragged_array()) field.Join(dropped);
  }
  if (!layout->has_bytes()) payloads.Clear();
}

void BatchBuffers::Compact() {
  const std::uint32_t first_padding = shape.samples - padding;
  std::uint32_t to = 0;
  for (std::uint32_t from = 0; from < shape.samples; ++from) {
    if (dropped[from] != 0) {
      // Padding is at the end of a batch. A dropped slot there was padding, so
      // that the rest still counts as much of it as there is.
      padding -= from >= first_padding ? 1 : 0;
      continue;
    }
    if (to != from) Move(from, to);
    ++to;
  }
  shape.samples = to;
}

std::shared_ptr<BatchBuffers> BatchPool::Get() {
  std::unique_ptr<BatchBuffers> buffers;
  {
    const std::lock_guard lock(free_->mutex);
    if (!free_->buffers.empty()) {
      buffers = std::move(free_->buffers.back());
      free_->buffers.pop_back();
      free_->bytes -= buffers->memory();
    }
  }
  if (buffers == nullptr) buffers = std::make_unique<BatchBuffers>(blocks_);
  // The batch knows the pool weakly: a caller may hold a batch after the loader
  // is gone, and the memory is then freed instead of returned.
  return {buffers.release(),
          [free = std::weak_ptr(free_)](BatchBuffers* returned) {
            std::unique_ptr<BatchBuffers> owned(returned);
            owned->payloads.Clear();
            const auto pool = free.lock();
            if (pool != nullptr) pool->Take(std::move(owned));
          }};
}

// Buffers that are not kept are freed when the parameter goes, after the lock
// is released. An empty pool takes buffers of any size: a single batch over the
// limit would otherwise be allocated again for each step.
void BatchPool::Free::Take(std::unique_ptr<BatchBuffers> returned) {
  const std::size_t more = returned->memory();
  const std::lock_guard lock(mutex);
  if (!buffers.empty() && bytes + more > kMaxFreeBytes) return;
  bytes += more;
  buffers.push_back(std::move(returned));
}

std::size_t BatchPool::free_bytes() const {
  const std::lock_guard lock(free_->mutex);
  return free_->bytes;
}

}  // namespace shardine
