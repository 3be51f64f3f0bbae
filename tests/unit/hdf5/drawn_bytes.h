// Numbers and bytes that are the same on every machine.
#ifndef SHARDINE_TESTS_UNIT_HDF5_DRAWN_BYTES_H_
#define SHARDINE_TESTS_UNIT_HDF5_DRAWN_BYTES_H_

#include <cstdint>
#include <string>

#include "base/philox.h"

namespace shardine {

class Draws {
 public:
  explicit Draws(std::uint32_t seed) : seed_(seed) {}

  // 0 to most.
  std::uint32_t UpTo(std::uint32_t most) {
    return Philox4x32({count_++, 0, 0, 0}, {seed_, 5})[0] % (most + 1);
  }
  std::string Bytes(std::size_t size) {
    std::string bytes;
    while (bytes.size() < size) bytes += static_cast<char>(UpTo(255));
    return bytes;
  }

 private:
  const std::uint32_t seed_;
  std::uint32_t count_ = 0;
};

}  // namespace shardine

#endif  // SHARDINE_TESTS_UNIT_HDF5_DRAWN_BYTES_H_
