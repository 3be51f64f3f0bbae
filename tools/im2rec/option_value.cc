#include "im2rec/option_value.h"

#include <charconv>
#include <optional>
#include <string>
#include <system_error>

#include "shardine/escape.h"
#include "shardine/pack_words.h"

namespace shardine {

namespace {

template <typename T>
bool ParseWhole(std::string_view text, T& value) {
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  return error == std::errc() && stop == end;
}

std::string Describe(IntegerRange range) {
  constexpr IntegerRange kAll;
  if (range.high != kAll.high && range.low == kAll.low) {
    return "a whole number of at most " + std::to_string(range.high);
  }
  if (range.high != kAll.high) {
    return "a whole number from " + std::to_string(range.low) + " to " +
           std::to_string(range.high);
  }
  if (range.low != kAll.low) {
    return "a whole number of at least " + std::to_string(range.low);
  }
  return "a whole number";
}

}  // namespace

Status BadOption(std::string_view option, std::string_view value,
                 std::string_view why) {
  std::string message(option);
  message.append(": \"").append(EscapeBytes(value)).append("\" ");
  return {Code::kInvalidArgument, message.append(why)};
}

Result<std::int64_t> ParseIntegerOption(std::string_view option,
                                        std::string_view value,
                                        IntegerRange range) {
  std::int64_t number = 0;
  if (!ParseWhole(value, number) || number < range.low || number > range.high) {
    return BadOption(option, value, "is not " + Describe(range));
  }
  return number;
}

Status ParseEncodingOption(std::string_view option, std::string_view value,
                           Encoding& encoding) {
  if (value != ".jpg" && value != ".png") {
    return BadOption(option, value, "is neither .jpg nor .png");
  }
  encoding = value == ".png" ? Encoding::kPng : Encoding::kJpeg;
  return {};
}

Status ParsePixelsOption(std::string_view option, std::string_view value,
                         PixelRule& rule) {
  if (value != "pillow" && value != "opencv") {
    return BadOption(option, value, "is neither pillow nor opencv");
  }
  rule = value == "opencv" ? PixelRule::kOpenCv : PixelRule::kPillow;
  return {};
}

Status ParseOnBadOption(std::string_view option, std::string_view value,
                        OnBad& on_bad) {
  const std::optional<OnBad> named = EnumOf<OnBad>(value);
  if (named != OnBad::kFail && named != OnBad::kSkip) {
    return BadOption(option, value, "is neither fail nor skip");
  }
  on_bad = *named;
  return {};
}

Result<double> ParseRatioOption(std::string_view option,
                                std::string_view value) {
  double ratio = 0;
  if (!ParseWhole(value, ratio) || !(ratio >= 0 && ratio <= 1)) {
    return BadOption(option, value, "is not a number from 0 to 1");
  }
  return ratio;
}

}  // namespace shardine
