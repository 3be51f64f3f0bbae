#include "load/batch_buffers.h"

#include <cstring>
#include <utility>

#include "image/normalizer.h"

namespace shardine {

void BatchBuffers::Reset(const BatchShape& batch_shape, PixelType type,
                         std::uint32_t labels_each) {
  shape = batch_shape;
  labels_per_sample = labels_each;
  slot_bytes = std::size_t{shape.height} * shape.width * shape.channels *
               BytesPerValue(type);
  pixels_.resize((slot_bytes * shape.samples + sizeof(Line) - 1) /
                 sizeof(Line));
  ids.assign(shape.samples, 0);
  positions.assign(shape.samples, 0);
  labels.assign(std::size_t{shape.samples} * labels_each, Label());
  boxes.assign(shape.samples, CropBox());
  bad.assign(shape.samples, 0);
  dropped.assign(shape.samples, 0);
  if (slot_bytes == 0) {
    payloads.resize(shape.samples);
    records.assign(shape.samples, {});
  } else {
    payloads.clear();
    records.clear();
  }
}

std::span<std::byte> BatchBuffers::Slot(std::uint32_t number) {
  return pixels().subspan(number * slot_bytes, slot_bytes);
}

void BatchBuffers::Compact() {
  const std::uint32_t first_padding = shape.samples - padding;
  std::uint32_t to = 0;
  for (std::uint32_t from = 0; from < shape.samples; ++from) {
    if (dropped[from] != 0) {
      padding -= from >= first_padding ? 1 : 0;
      continue;
    }
    if (to != from) {
      ids[to] = ids[from];
      positions[to] = positions[from];
      boxes[to] = boxes[from];
      bad[to] = bad[from];
      for (std::uint32_t i = 0; i < labels_per_sample; ++i) {
        labels[to * labels_per_sample + i] =
            labels[from * labels_per_sample + i];
      }
      if (slot_bytes > 0) {
        std::memcpy(Slot(to).data(), Slot(from).data(), slot_bytes);
      } else {
        std::swap(payloads[to], payloads[from]);
        records[to] = records[from];
      }
    }
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
    }
  }
  if (buffers == nullptr) buffers = std::make_unique<BatchBuffers>();
  return {buffers.release(),
          [free = std::weak_ptr(free_)](BatchBuffers* returned) {
            std::unique_ptr<BatchBuffers> owned(returned);
            const auto pool = free.lock();
            if (pool == nullptr) return;
            const std::lock_guard lock(pool->mutex);
            pool->buffers.push_back(std::move(owned));
          }};
}

}  // namespace shardine
