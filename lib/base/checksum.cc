#include "base/checksum.h"

#define XXH_STATIC_LINKING_ONLY  // the size of its state
#include <isa-l/crc.h>
#include <xxhash.h>
#if defined(__x86_64__)
// The same functions by the widest vectors this processor has.
#include <xxh_x86dispatch.h>
#endif

#include <algorithm>
#include <new>

namespace shardine {
namespace {

Digest128 ToDigest(XXH128_hash_t hash) { return {hash.low64, hash.high64}; }

}  // namespace

std::uint32_t Crc32c(ByteView bytes, std::uint32_t previous) {
  // ISA-L takes an int length and leaves both inversions to the caller.
  constexpr std::size_t kStep = std::size_t{1} << 30;
  std::uint32_t state = ~previous;
  while (!bytes.empty()) {
    const std::size_t length = std::min(bytes.size(), kStep);
    auto* data =
        reinterpret_cast<unsigned char*>(const_cast<std::byte*>(bytes.data()));
    state = crc32_iscsi(data, static_cast<int>(length), state);
    bytes = bytes.subspan(length);
  }
  return ~state;
}

std::uint64_t Xxh3_64(ByteView bytes, std::uint64_t seed) {
  return XXH3_64bits_withSeed(bytes.data(), bytes.size(), seed);
}

Digest128 Xxh3_128(ByteView bytes) {
  return ToDigest(XXH3_128bits(bytes.data(), bytes.size()));
}

struct Xxh3Stream::State {
  XXH3_state_t state;
};

Xxh3Stream::Xxh3Stream() : state_(std::make_unique<State>()) { Reset(); }
Xxh3Stream::~Xxh3Stream() = default;
Xxh3Stream::Xxh3Stream(Xxh3Stream&&) noexcept = default;
Xxh3Stream& Xxh3Stream::operator=(Xxh3Stream&&) noexcept = default;

void Xxh3Stream::Reset() { XXH3_128bits_reset(&state_->state); }

void Xxh3Stream::Update(ByteView bytes) {
  XXH3_128bits_update(&state_->state, bytes.data(), bytes.size());
}

Digest128 Xxh3Stream::Digest() const {
  return ToDigest(XXH3_128bits_digest(&state_->state));
}

}  // namespace shardine
