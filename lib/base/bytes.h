// Byte views, little-endian access, an uninitialised buffer, and the bounded
// cursor with which every parser reads untrusted bytes.
#ifndef SHARDINE_BASE_BYTES_H_
#define SHARDINE_BASE_BYTES_H_

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "shardine/status.h"

namespace shardine {

static_assert(std::endian::native == std::endian::little,
              "on-disk integers are read in place");

using ByteView = std::span<const std::byte>;

inline ByteView AsBytes(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}
inline std::string_view AsText(ByteView bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

template <typename T>
concept Scalar = std::is_arithmetic_v<T>;

// REQUIRES: sizeof(T) bytes at `from` / `to`. No alignment needed.
template <Scalar T>
T LoadLe(const std::byte* from) {
  T value;
  std::memcpy(&value, from, sizeof(T));
  return value;
}
template <Scalar T>
void StoreLe(T value, std::byte* to) {
  std::memcpy(to, &value, sizeof(T));
}
template <Scalar T>
void AppendLe(T value, std::string& to) {
  char raw[sizeof(T)];
  std::memcpy(raw, &value, sizeof(T));
  to.append(raw, sizeof(T));
}

// Memory for file contents: never zero-filled, capacity only grows.
// Thread-compatible.
class ByteBuffer {
 public:
  ByteBuffer() = default;
  // A buffer that was moved from is empty.
  ByteBuffer(ByteBuffer&& other) noexcept { *this = std::move(other); }
  ByteBuffer& operator=(ByteBuffer&& other) noexcept {
    data_ = std::move(other.data_);
    size_ = std::exchange(other.size_, 0);
    capacity_ = std::exchange(other.capacity_, 0);
    return *this;
  }

  std::byte* data() { return data_.get(); }
  const std::byte* data() const { return data_.get(); }
  std::size_t size() const { return size_; }
  std::size_t capacity() const { return capacity_; }
  ByteView view() const { return {data_.get(), size_}; }
  std::span<std::byte> span() { return {data_.get(), size_}; }

  // Contents up to min(old size, new size) are kept; the rest is undefined.
  void Resize(std::size_t size);
  // Room for just so much, where there is less; Resize() alone takes half as
  // much again as there was.
  void Reserve(std::size_t capacity);
  void Append(ByteView bytes);

 private:
  std::unique_ptr<std::byte[]> data_;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

// Reads forward through a view. Every read is checked: past the end it
// returns false, leaves the output alone and the cursor where it was.
// Thread-compatible. The view must outlive the cursor.
class ByteCursor {
 public:
  explicit ByteCursor(ByteView bytes) : bytes_(bytes) {}

  std::size_t position() const { return position_; }
  std::size_t remaining() const { return bytes_.size() - position_; }
  bool done() const { return remaining() == 0; }

  template <Scalar T>
  [[nodiscard]] bool Read(T& value) {
    if (remaining() < sizeof(T)) return false;
    value = LoadLe<T>(bytes_.data() + position_);
    position_ += sizeof(T);
    return true;
  }
  [[nodiscard]] bool ReadBytes(std::uint64_t count, ByteView& bytes) {
    if (remaining() < count) return false;
    bytes = bytes_.subspan(position_, static_cast<std::size_t>(count));
    position_ += static_cast<std::size_t>(count);
    return true;
  }
  [[nodiscard]] bool Skip(std::uint64_t count) {
    ByteView ignored;
    return ReadBytes(count, ignored);
  }

 private:
  ByteView bytes_;
  std::size_t position_ = 0;
};

}  // namespace shardine

#endif  // SHARDINE_BASE_BYTES_H_
