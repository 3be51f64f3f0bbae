#include "base/bytes.h"

#include <algorithm>

namespace shardine {

void ByteBuffer::Resize(std::size_t size) {
  if (size > capacity_) {
    const std::size_t capacity = std::max(size, capacity_ + capacity_ / 2);
    auto data = std::make_unique_for_overwrite<std::byte[]>(capacity);
    if (size_ > 0) std::memcpy(data.get(), data_.get(), size_);
    data_ = std::move(data);
    capacity_ = capacity;
  }
  size_ = size;
}

void ByteBuffer::Append(ByteView bytes) {
  if (bytes.empty()) return;
  const std::size_t old_size = size_;
  Resize(old_size + bytes.size());
  std::memcpy(data_.get() + old_size, bytes.data(), bytes.size());
}

}  // namespace shardine
