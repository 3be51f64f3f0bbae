#include "shardine/label.h"

#include <catch2/catch.hpp>
#include <cstdlib>
#include <limits>
#include <string>

namespace shardine::label_test {
namespace {

TEST_CASE("Label holds every integral value of int64's range as an integer",
          "[label]") {
  CHECK(Label::FromReal(7.0) == Label(7));
  CHECK(Label::FromReal(-3.0) == Label(-3));
  CHECK(Label::FromReal(0.0) == Label(0));
  CHECK(Label::FromReal(-0.0) == Label(0));
  CHECK(Label::FromReal(-9223372036854775808.0) ==
        Label(std::numeric_limits<std::int64_t>::min()));
  CHECK(Label::FromReal(16777217.0).integer() == 16777217);
  CHECK(Label::FromReal(9223372036854774784.0).integer() ==
        9223372036854774784);
}

TEST_CASE("Label holds everything else as a real", "[label]") {
  const double infinity = std::numeric_limits<double>::infinity();
  for (const double value :
       {0.5, -0.25, 9223372036854775808.0, -9223372036854777856.0, 1e300,
        5e-324, infinity, -infinity}) {
    CAPTURE(value);
    const Label label = Label::FromReal(value);
    CHECK_FALSE(label.is_integer());
    CHECK(label.real() == value);
    CHECK(label == Label::FromReal(value));
    CHECK_FALSE(label == Label(0));
  }
}

TEST_CASE("Label gives the nearest double of an integer", "[label]") {
  CHECK(Label(7).real() == 7.0);
  CHECK(Label(9007199254740993).real() == 9007199254740992.0);
}

TEST_CASE("Label's text is the shortest that reads back", "[label]") {
  CHECK(Label(7).ToString() == "7");
  CHECK(Label(0).ToString() == "0");
  CHECK(Label(std::numeric_limits<std::int64_t>::min()).ToString() ==
        "-9223372036854775808");
  CHECK(Label::FromReal(0.5).ToString() == "0.5");
  CHECK(Label::FromReal(0.1).ToString() == "0.1");
  CHECK(Label::FromReal(-1e300).ToString() == "-1e+300");
  for (const double value : {1.0 / 3, -2.2250738585072014e-308, 1e19, 5e-324,
                             std::numeric_limits<double>::max()}) {
    CAPTURE(value);
    const std::string text = Label::FromReal(value).ToString();
    CHECK(std::strtod(text.c_str(), nullptr) == value);
  }
}

}  // namespace
}  // namespace shardine::label_test
