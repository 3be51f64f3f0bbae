// JPEGs by number, of all the kinds that our own decoder takes: samplings,
// sizes, qualities, tables, restarts, coefficients as no picture has them. And
// damage of every kind that a file may have.
#ifndef SHARDINE_TESTS_SUPPORT_JPEG_VARIETY_H_
#define SHARDINE_TESTS_SUPPORT_JPEG_VARIETY_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "support/jpeg_maker.h"

namespace shardine {

// The same number gives the same JPEG (of one libjpeg-turbo version): sides of
// 1..600 pixels, small ones more often.
std::string MakeVariedJpeg(std::uint32_t number);
JpegSpec VariedJpegSpec(std::uint32_t number);

// One thing changed, most often in the scan. Few of these JPEGs are whole.
// REQUIRES: a whole JPEG of one scan.
std::string DamageJpeg(std::string_view jpeg, std::uint32_t number);

}  // namespace shardine

#endif  // SHARDINE_TESTS_SUPPORT_JPEG_VARIETY_H_
