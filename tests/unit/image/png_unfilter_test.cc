#include "image/png_unfilter.h"

#include <catch2/catch.hpp>
#include <cstdlib>
#include <vector>

namespace shardine::png_unfilter_test {
namespace {

using Row = std::vector<std::uint8_t>;

// ISO/IEC 15948, 9.4.
int Predict(int filter, int left, int above, int corner) {
  if (filter == 1) return left;
  if (filter == 2) return above;
  if (filter == 3) return (left + above) / 2;
  if (filter != 4) return 0;
  const int guess = left + above - corner;
  const int to_left = std::abs(guess - left);
  const int to_above = std::abs(guess - above);
  const int to_corner = std::abs(guess - corner);
  if (to_left <= to_above && to_left <= to_corner) return left;
  return to_above <= to_corner ? above : corner;
}

Row Filtered(int filter, const Row& row, const Row& above, std::size_t pixel) {
  Row out;
  for (std::size_t i = 0; i < row.size(); ++i) {
    const int left = i < pixel ? 0 : row[i - pixel];
    const int corner = i < pixel ? 0 : above[i - pixel];
    out.push_back(static_cast<std::uint8_t>(
        row[i] - Predict(filter, left, above[i], corner)));
  }
  return out;
}

TEST_CASE("UnfilterPngRow undoes each filter for pixels of any width",
          "[png][filter]") {
  std::uint32_t state = 3;
  const auto next = [&state] {
    state = state * 1664525U + 1013904223U;
    return static_cast<std::uint8_t>(state >> 24);
  };
  for (const std::size_t pixel : {1U, 2U, 3U, 4U, 6U, 8U}) {
    for (int filter = 0; filter <= 4; ++filter) {
      for (std::size_t pixels = 1; pixels <= 40; ++pixels) {
        Row above(pixels * pixel);
        Row row(pixels * pixel);
        for (std::uint8_t& byte : above) byte = next();
        for (std::uint8_t& byte : row) byte = next();
        Row stored = Filtered(filter, row, above, pixel);
        REQUIRE(UnfilterPngRow(static_cast<std::uint8_t>(filter), stored.data(),
                               stored.size(), above.data(), pixel));
        if (stored != row) FAIL("filter " << filter << ", pixel " << pixel);

        const Row nothing(row.size(), 0);
        stored = Filtered(filter, row, nothing, pixel);
        REQUIRE(UnfilterPngRow(static_cast<std::uint8_t>(filter), stored.data(),
                               stored.size(), nullptr, pixel));
        if (stored != row) FAIL("first row, filter " << filter);
      }
    }
  }
}

TEST_CASE("UnfilterPngRow knows five filters", "[png][filter]") {
  Row row(9);
  CHECK(UnfilterPngRow(4, row.data(), row.size(), nullptr, 3));
  CHECK_FALSE(UnfilterPngRow(5, row.data(), row.size(), nullptr, 3));
  CHECK_FALSE(UnfilterPngRow(255, row.data(), row.size(), nullptr, 3));
}

}  // namespace
}  // namespace shardine::png_unfilter_test
