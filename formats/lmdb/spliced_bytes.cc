#include "lmdb/spliced_bytes.h"

#include <cstring>

namespace shardine {

void SplicedBytes::Clear() {
  own_.clear();
  splices_.clear();
  spliced_size_ = 0;
}

void SplicedBytes::Append(ByteView bytes) { own_ += AsText(bytes); }

void SplicedBytes::Splice(ByteView bytes) {
  splices_.push_back({own_.size(), bytes});
  spliced_size_ += bytes.size();
}

// The place in own_ of the byte at `at` in the whole.
std::size_t SplicedBytes::InOwn(std::uint64_t at) const {
  for (const Inset& inset : splices_) {
    if (at < inset.at) break;
    at -= inset.bytes.size();
  }
  return static_cast<std::size_t>(at);
}

void SplicedBytes::Erase(std::uint64_t at, std::size_t count) {
  own_.erase(InOwn(at), count);
}

void SplicedBytes::Overwrite(std::uint64_t at, ByteView bytes) {
  own_.replace(InOwn(at), bytes.size(), AsText(bytes));
}

void SplicedBytes::CopyTo(std::span<std::byte> to) const {
  std::byte* out = to.data();
  const auto put = [&](const void* from, std::size_t size) {
    if (size == 0) return;
    std::memcpy(out, from, size);
    out += size;
  };
  std::size_t done = 0;
  for (const Inset& inset : splices_) {
    put(own_.data() + done, inset.at - done);
    put(inset.bytes.data(), inset.bytes.size());
    done = inset.at;
  }
  put(own_.data() + done, own_.size() - done);
}

std::string SplicedBytes::ToString() const {
  std::string all(static_cast<std::size_t>(size()), '\0');
  CopyTo(std::as_writable_bytes(std::span(all)));
  return all;
}

}  // namespace shardine
