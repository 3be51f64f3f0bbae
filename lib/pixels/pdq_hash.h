// PDQ hashes: 256 bits of an image that stay nearly the same when it is encoded
// again, resized or made gray.
#ifndef SHARDINE_PIXELS_PDQ_HASH_H_
#define SHARDINE_PIXELS_PDQ_HASH_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace shardine {

inline constexpr std::uint32_t kPdqSide = 64;
inline constexpr std::size_t kPdqPixels = std::size_t{kPdqSide} * kPdqSide;
// Bit 16 * i + j stands for vertical frequency i + 1, horizontal j + 1.
using PdqHash = std::array<std::uint64_t, 4>;

// Gray rows of 64 pixels, without padding. Bit for bit the hash that the
// reference implementation gives for them.
PdqHash PdqHashOf(std::span<const std::uint8_t, kPdqPixels> gray);
// How much there is to hash, 0 to 100: the reference advises against below 50.
int PdqQualityOf(std::span<const std::uint8_t, kPdqPixels> gray);

// The ways in which a square lies on itself.
inline constexpr std::uint32_t kTurns = 8;
// About the hash of the turned image: some six bits differ, those of
// frequencies between zero and their median. Turn 0 changes nothing.
PdqHash Turned(const PdqHash& hash, std::uint32_t turn);
// The image itself. `out` is another one.
void TurnImage(std::span<const std::uint8_t, kPdqPixels> gray,
               std::uint32_t turn, std::span<std::uint8_t, kPdqPixels> out);

std::uint32_t Distance(const PdqHash& a, const PdqHash& b);

// Hashes by words, as they are compared quickest.
class HashTable {
 public:
  explicit HashTable(std::span<const PdqHash> hashes);

  // Calls found(i) for those among [first, end) that are at most `most` bits
  // from `hash`, in order.
  template <typename Found>
  void Search(const PdqHash& hash, std::size_t first, std::size_t end,
              std::uint32_t most, const Found& found) const {
    constexpr std::size_t kBlock = 1024;
    std::array<std::uint32_t, kBlock> near;
    for (std::size_t at = first; at < end; at += kBlock) {
      const std::size_t count = end - at < kBlock ? end - at : kBlock;
      const std::size_t n = SearchBlock(hash, at, count, most, near.data());
      for (std::size_t i = 0; i < n; ++i) found(at + near[i]);
    }
  }

 private:
  std::size_t SearchBlock(const PdqHash& hash, std::size_t first,
                          std::size_t count, std::uint32_t most,
                          std::uint32_t* near) const;

  std::array<std::vector<std::uint64_t>, 4> words_;
};

}  // namespace shardine

#endif  // SHARDINE_PIXELS_PDQ_HASH_H_
