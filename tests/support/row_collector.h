// A sink that keeps a decoder's rows, and that checks how they come.
#ifndef SHARDINE_TESTS_SUPPORT_ROW_COLLECTOR_H_
#define SHARDINE_TESTS_SUPPORT_ROW_COLLECTOR_H_

#include <catch2/catch.hpp>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "pixels/row_sink.h"

namespace shardine {

struct RowCollector final : RowSink {
  PixelSize size;
  std::uint8_t channels = 0;
  std::vector<std::uint8_t> pixels;
  std::uint32_t rows = 0;
  std::uint32_t most_at_once = 0;
  bool begun = false;

  Status Begin(PixelSize begin_size, std::uint8_t begin_channels) override {
    if (begun) FAIL("begun twice");
    begun = true;
    size = begin_size;
    channels = begin_channels;
    return {};
  }

  void TakeRows(const std::uint8_t* from, std::size_t stride,
                std::uint32_t count) override {
    if (!begun || count == 0 || count > size.height - rows) FAIL("wrong rows");
    const std::size_t row = std::size_t{size.width} * channels;
    for (std::uint32_t y = 0; y < count; ++y) {
      pixels.insert(pixels.end(), from + stride * y, from + stride * y + row);
    }
    rows += count;
    if (count > most_at_once) most_at_once = count;
  }
};

}  // namespace shardine

#endif  // SHARDINE_TESTS_SUPPORT_ROW_COLLECTOR_H_
