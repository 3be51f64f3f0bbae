#include "image/jpeg_scans.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

#include "image/jpeg_markers.h"

namespace shardine {
namespace {

std::size_t Number(ByteView bytes, std::size_t at) {
  return std::to_integer<std::size_t>(bytes[at]);
}

// Goes from marker to marker.
class MarkerWalk {
 public:
  explicit MarkerWalk(ByteView bytes) : bytes_(bytes) {}

  // The next one that has a segment, or EOI. False: there is none.
  bool Next() {
    while (at_ + 1 < bytes_.size()) {
      // In a scan most FFs are followed by 00.
      const void* found =
          std::memchr(bytes_.data() + at_, 0xFF, bytes_.size() - at_ - 1);
      if (found == nullptr) return false;
      at_ = static_cast<std::size_t>(static_cast<const std::byte*>(found) -
                                     bytes_.data()) +
            1;
      marker_ = std::to_integer<std::uint8_t>(bytes_[at_]);
      if (marker_ == 0xFF) continue;
      ++at_;
      if (marker_ == kEoi) return true;
      const bool alone =
          marker_ < kSof0 || (marker_ >= kRst0 && marker_ <= kSoi);
      if (!alone) return TakeSegment();
    }
    return false;
  }

  std::uint8_t marker() const { return marker_; }
  ByteView payload() const { return payload_; }
  std::size_t position() const { return at_; }  // after the marker's segment

 private:
  // Takes the segment as far as it goes: a file may end inside of it.
  bool TakeSegment() {
    if (bytes_.size() - at_ < 2) return false;
    const std::size_t length =
        Number(bytes_, at_) << 8 | Number(bytes_, at_ + 1);
    const std::size_t there = std::min(length, bytes_.size() - at_);
    payload_ = bytes_.subspan(at_).first(there).subspan(
        std::min<std::size_t>(there, 2));
    at_ += there;
    return true;
  }

  ByteView bytes_;
  std::size_t at_ = 2;
  std::uint8_t marker_ = 0;
  ByteView payload_;
};

// How many low bits of each coefficient are still to come, by component.
class ScanTally {
 public:
  void TakeFrame(std::uint8_t marker, ByteView payload) {
    progressive_ = marker == kSof2 || marker == kSof10;
    components_ = payload.size() < 6 ? 0 : Number(payload, 5);
    if (components_ > ids_.size() || payload.size() < 6 + 3 * components_) {
      components_ = 0;
    }
    ids_.fill(kNoId);
    for (std::size_t c = 0; c < components_; ++c) {
      ids_[c] = Number(payload, 6 + 3 * c);
      missing_[c].fill(kAll);
    }
  }

  void TakeScan(ByteView payload) {
    const std::size_t count = payload.empty() ? 0 : Number(payload, 0);
    if (payload.size() != 4 + 2 * count) return;
    std::size_t first = 0;
    std::size_t last = kCoefficients - 1;
    std::uint8_t low = 0;
    if (progressive_) {
      first = Number(payload, 1 + 2 * count);
      last = Number(payload, 2 + 2 * count);
      low = Number(payload, 3 + 2 * count) & 15;
    }
    // A scan header that cannot be brings nothing. Whether libjpeg refuses it
    // is found out when the image is decoded.
    if (first > last || last >= kCoefficients) return;
    for (std::size_t i = 0; i < count; ++i) {
      for (std::size_t c = 0; c < ids_.size(); ++c) {
        if (ids_[c] != Number(payload, 1 + 2 * i)) continue;
        std::fill(missing_[c].begin() + first, missing_[c].begin() + last + 1,
                  low);
      }
    }
  }

  bool complete() const {
    return std::all_of(missing_.begin(), missing_.begin() + components_,
                       [](const auto& bits) {
                         return std::ranges::all_of(
                             bits, [](std::uint8_t low) { return low == 0; });
                       });
  }

 private:
  static constexpr std::size_t kCoefficients = 64;
  // A scan says in four bits how many are to come, so that 16 is a coefficient
  // which no scan has touched.
  static constexpr std::uint8_t kAll = 16;
  static constexpr std::size_t kNoId = 256;  // ids are bytes

  bool progressive_ = false;
  std::size_t components_ = 0;
  std::array<std::size_t, 4> ids_{kNoId, kNoId, kNoId, kNoId};
  std::array<std::array<std::uint8_t, kCoefficients>, 4> missing_{};
};

}  // namespace

std::size_t FindJpegEnd(ByteView bytes) {
  MarkerWalk walk(bytes);
  while (walk.Next()) {
    if (walk.marker() == kEoi) return walk.position();
  }
  return bytes.size();
}

bool HasAllScans(ByteView bytes) {
  ScanTally tally;
  MarkerWalk walk(bytes);
  while (walk.Next() && walk.marker() != kEoi) {
    if (IsFrame(walk.marker())) {
      tally.TakeFrame(walk.marker(), walk.payload());
    } else if (walk.marker() == kSos) {
      tally.TakeScan(walk.payload());
    }
  }
  return tally.complete();
}

}  // namespace shardine
