#include "jpeg/stuffed_bits.h"

namespace shardine {

BitWindow RefillBytewise(BitWindow window, const std::uint8_t* end) {
  while (window.count < kWindowBits) {
    const bool data =
        window.next != end && (*window.next != 0xFF ||
                               (end - window.next > 1 && window.next[1] == 0));
    if (!data) {
      const std::uint32_t missing = (63 - window.count) / 8 * 8;
      window.count += missing;
      window.made_up += missing;
      return window;
    }
    window.bits |= static_cast<std::uint64_t>(*window.next)
                   << (56 - window.count);
    window.count += 8;
    window.next += *window.next == 0xFF ? 2 : 1;
  }
  return window;
}

BitPlace PlaceOf(const BitWindow& window, const std::uint8_t* begin) {
  const std::uint32_t left = window.count - window.made_up;
  const std::uint8_t* byte = window.next;
  for (std::uint32_t i = 0; i < (left + 7) / 8; ++i) {
    const bool stuffed = byte - begin >= 2 && byte[-1] == 0 && byte[-2] == 0xFF;
    byte -= stuffed ? 2 : 1;
  }
  return {byte, (8 - left % 8) % 8};
}

}  // namespace shardine
