#include "jpeg/exp_golomb.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "base/check.h"

namespace shardine {

void GolombWriter::Put(std::uint64_t number, std::uint32_t order) {
  SHARDINE_CHECK(number < kGolombLimit && order <= kMaxGolombOrder);
  const std::uint32_t length = GolombBits(number, order);
  bits_ = bits_ << length | (number + (std::uint64_t{1} << order));
  count_ += length;
  for (; count_ >= 8; count_ -= 8) {
    out_ += static_cast<char>(bits_ >> (count_ - 8) & 0xFF);
  }
}

void GolombWriter::Finish() {
  if (count_ > 0) out_ += static_cast<char>(bits_ << (8 - count_) & 0xFF);
  count_ = 0;
}

bool GolombReader::AtEnd() {
  if (Overran() || bytes_.size() * 8 - position_ >= 8) return false;
  Load();
  return window_ == 0;
}

std::uint64_t GolombReader::LoadTail(std::size_t byte) const {
  std::array<std::byte, sizeof(window_)> raw{};
  if (byte < bytes_.size()) {
    const std::size_t left = std::min(raw.size(), bytes_.size() - byte);
    std::memcpy(raw.data(), bytes_.data() + byte, left);
  }
  return LoadLe<std::uint64_t>(raw.data());
}

}  // namespace shardine
