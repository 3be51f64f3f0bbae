#include "shardine/label.h"

#include <charconv>
#include <cmath>

#include "base/check.h"

namespace shardine {

Label Label::FromReal(double value) {
  SHARDINE_CHECK(!std::isnan(value));
  constexpr double kTwoTo63 = 9223372036854775808.0;
  if (value >= -kTwoTo63 && value < kTwoTo63 && std::trunc(value) == value) {
    return Label(static_cast<std::int64_t>(value));
  }
  Label label;
  label.is_real_ = true;
  label.real_ = value;
  return label;
}

std::string Label::ToString() const {
  // The longest: "-2.2250738585072014e-308".
  char text[32];
  const std::to_chars_result end =
      is_real_ ? std::to_chars(text, text + sizeof(text), real_)
               : std::to_chars(text, text + sizeof(text), integer_);
  SHARDINE_CHECK(end.ec == std::errc());
  return {text, end.ptr};
}

}  // namespace shardine
