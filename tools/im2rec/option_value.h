// The values of options: whole numbers and ratios, read strictly.
#ifndef SHARDINE_IM2REC_OPTION_VALUE_H_
#define SHARDINE_IM2REC_OPTION_VALUE_H_

#include <cstdint>
#include <limits>
#include <string_view>

#include "im2rec/pixel_options.h"
#include "shardine/image.h"
#include "shardine/image_check.h"
#include "shardine/status.h"

namespace shardine {

// Both ends included.
struct IntegerRange {
  std::int64_t low = std::numeric_limits<std::int64_t>::min();
  std::int64_t high = std::numeric_limits<std::int64_t>::max();
};

// kInvalidArgument, naming option, value and range, for anything but a decimal
// number within the range.
Result<std::int64_t> ParseIntegerOption(std::string_view option,
                                        std::string_view value,
                                        IntegerRange range);

// The same for a number in [0, 1].
Result<double> ParseRatioOption(std::string_view option,
                                std::string_view value);

// ".jpg" or ".png".
Status ParseEncodingOption(std::string_view option, std::string_view value,
                           Encoding& encoding);

// "pillow" or "opencv".
Status ParsePixelsOption(std::string_view option, std::string_view value,
                         PixelRule& rule);

// "fail" or "skip": a list has no place to put bad images aside and must not
// keep them.
Status ParseOnBadOption(std::string_view option, std::string_view value,
                        OnBad& on_bad);

// The longest side of a JPEG that libjpeg writes.
inline constexpr std::int64_t kMaxShortSide = 65500;

// kInvalidArgument: OPTION: "VALUE" WHY.
Status BadOption(std::string_view option, std::string_view value,
                 std::string_view why);

}  // namespace shardine

#endif  // SHARDINE_IM2REC_OPTION_VALUE_H_
