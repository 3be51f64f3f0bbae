#include "jpeg/sample_planes.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "support/jpeg_maker.h"

namespace shardine::sample_planes_test {
namespace {

JpegFrame FrameOf(int across, int down, bool gray = false) {
  JpegSpec spec{.width = 200, .height = 170, .across = across, .down = down};
  if (gray) spec.color = JpegColor::kGray;
  JpegFrame frame;
  REQUIRE(ReadJpegFrame(AsBytes(MakeJpeg(spec)), frame));
  return frame;
}

// The mark of a sample, wherever it is kept: its component and place in the
// image.
std::uint8_t Mark(std::uint32_t component, std::uint32_t x, std::uint32_t y) {
  return static_cast<std::uint8_t>(component * 83 + x * 7 + y * 31);
}

// Writes the rows that are held, block by block.
void Fill(const JpegFrame& frame, const McuRange& range, SamplePlanes& planes) {
  const std::uint32_t end =
      std::min(planes.mcu_y() + planes.mcu_rows(), range.end_y);
  for (std::uint32_t my = planes.mcu_y(); my < end; ++my) {
    for (std::uint32_t mx = range.x; mx < range.end_x; ++mx) {
      for (std::uint32_t b = 0; b < frame.blocks_per_mcu; ++b) {
        const McuBlock& block = frame.mcu_block[b];
        const std::uint32_t c = block.component;
        const std::uint32_t x = (mx * frame.component[c].h + block.x) * 8;
        const std::uint32_t y = (my * frame.component[c].v + block.y) * 8;
        std::uint8_t* const samples = planes.At(block, mx, my);
        for (std::uint32_t i = 0; i < kBlockSize; ++i) {
          samples[i / 8 * planes.stride(c) + i % 8] =
              Mark(c, x + i % 8, y + i / 8);
        }
      }
    }
  }
}

// Whether the bands hold the written samples, from row `first` of MCUs on; with
// the row of samples before it, if there is one.
void CheckBands(const JpegFrame& frame, const McuRange& range,
                const SamplePlanes& planes) {
  const std::uint32_t end =
      std::min(planes.mcu_y() + planes.mcu_rows(), range.end_y);
  for (std::uint32_t c = 0; c < frame.components; ++c) {
    const SampleBand& band = planes.bands()[c];
    const FrameComponent& component = frame.component[c];
    const std::uint32_t spare = planes.mcu_y() > range.y ? 1 : 0;
    REQUIRE(band.x == range.x * component.h * 8);
    REQUIRE(band.y + spare == planes.mcu_y() * component.v * 8);
    std::size_t wrong = 0;
    for (std::uint32_t y = band.y; y < end * component.v * 8; ++y) {
      for (std::uint32_t x = band.x; x < range.end_x * component.h * 8; ++x) {
        const std::uint8_t sample =
            band.samples[(y - band.y) * band.stride + (x - band.x)];
        wrong += sample == Mark(c, x, y) ? 0 : 1;
      }
    }
    CHECK(wrong == 0);
  }
}

}  // namespace

TEST_CASE("samples are found where their blocks were written, band by band",
          "[jpeg]") {
  SamplePlanes planes;
  for (const auto& [across, down] :
       {std::pair(1, 1), std::pair(2, 1), std::pair(1, 2), std::pair(2, 2)}) {
    for (const bool gray : {false, true}) {
      const JpegFrame frame = FrameOf(across, down, gray);
      for (const McuRange& range :
           {McuRange{0, frame.mcus_across, 0, frame.mcus_down},
            McuRange{3, 4, 2, 3}, McuRange{5, 9, 1, frame.mcus_down},
            McuRange{frame.mcus_across - 1, frame.mcus_across, 0, 6}}) {
        for (const std::size_t bytes : {0u, 9000u, 1000000u}) {
          planes.Reset(frame, range, bytes);
          for (;;) {
            Fill(frame, range, planes);
            CheckBands(frame, range, planes);
            if (planes.mcu_y() + planes.mcu_rows() >= range.end_y) break;
            planes.Advance();
          }
        }
      }
    }
  }
}

TEST_CASE("there is room for one row of MCUs, and for no more than there are",
          "[jpeg]") {
  const JpegFrame frame = FrameOf(2, 2);
  const McuRange range{0, frame.mcus_across, 2, 7};
  SamplePlanes planes;
  planes.Reset(frame, range, 0);
  CHECK(planes.mcu_rows() == 1);
  CHECK(planes.mcu_y() == 2);
  planes.Advance();
  CHECK(planes.mcu_y() == 3);
  planes.Reset(frame, range, std::size_t{1} << 30);
  CHECK(planes.mcu_rows() == 5);
  // 13 MCUs of 16 luma and 8 chroma samples, rows of whole vectors.
  const std::size_t row = 256 * 16 + 2 * 128 * 8;
  planes.Reset(frame, range, 3 * row);
  CHECK(planes.mcu_rows() == 3);
  planes.Reset(frame, range, 3 * row - 1);
  CHECK(planes.mcu_rows() == 2);
}

}  // namespace shardine::sample_planes_test
