#include "image/png_rows.h"

#include <catch2/catch.hpp>
#include <string>
#include <string_view>

#include "support/png_maker.h"

namespace shardine::png_rows_test {
namespace {

PngHeader Header(std::uint32_t width, std::uint32_t height, bool interlaced) {
  return {.width = width,
          .height = height,
          .bits = 8,
          .color = PngColor::kRgb,
          .interlaced = interlaced};
}

// Whether the walk accepts `data` in pieces of `size` bytes.
bool Accepts(const PngHeader& header, std::string_view data, std::size_t size) {
  PngRowWalk walk(header);
  while (!data.empty()) {
    const std::string_view piece = data.substr(0, size);
    if (!walk.Advance(AsBytes(piece))) return false;
    data.remove_prefix(piece.size());
  }
  return walk.remaining() == 0;
}

TEST_CASE("PngRowWalk counts the bytes of all rows and filter types",
          "[png][rows]") {
  CHECK(PngRowWalk(Header(5, 4, false)).remaining() == 4 * (1 + 15));
  PngHeader bits = Header(9, 2, false);
  bits.color = PngColor::kGray;
  bits.bits = 1;
  CHECK(PngRowWalk(bits).remaining() == 2 * (1 + 2));
  // One pixel in the first pass, all others empty.
  CHECK(PngRowWalk(Header(1, 1, true)).remaining() == 1 + 3);
  // Adam7 over 8 x 8: 1, 1, 2, 4, 8, 16, 32 pixels in 1, 1, 1, 2, 2, 4, 4
  // rows.
  CHECK(PngRowWalk(Header(8, 8, true)).remaining() == 64 * 3 + 15);
}

TEST_CASE("PngRowWalk counts the rows of the largest image there can be",
          "[png][rows]") {
  PngHeader header = Header(1U << 14, 1U << 14, false);
  header.bits = 16;
  header.color = PngColor::kRgba;
  CHECK(PngRowWalk(header).remaining() ==
        (std::uint64_t{1} << 31) + (1U << 14));
}

TEST_CASE(
    "PngRowWalk finds a wrong filter type in any row of any pass, "
    "whatever the pieces",
    "[png][rows][corruption]") {
  for (const bool interlaced : {false, true}) {
    PngSpec spec;
    spec.width = 6;
    spec.height = 5;
    spec.interlaced = interlaced;
    const PngHeader header = Header(6, 5, interlaced);
    std::string data = PngPixelData(spec);
    // 5 is refused where a row starts, and is a pixel like others elsewhere.
    std::size_t starts = 0;
    for (std::size_t at = 0; at < data.size(); ++at) {
      std::string damaged = data;
      damaged[at] = '\x05';
      const bool accepted = Accepts(header, damaged, data.size());
      for (const std::size_t size : {1u, 2u, 7u}) {
        CHECK(Accepts(header, damaged, size) == accepted);
      }
      if (!accepted) ++starts;
    }
    // 5 rows; in passes of 1, 1, 1, 2, 1, 3 and 2 rows when interlaced.
    CHECK(starts == (interlaced ? 11 : 5));
    CHECK(Accepts(header, data, 3));
  }
}

}  // namespace
}  // namespace shardine::png_rows_test
