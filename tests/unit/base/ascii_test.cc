#include "base/ascii.h"

#include <catch2/catch.hpp>

namespace shardine::ascii_test {
namespace {

TEST_CASE("LowerAscii changes A to Z alone", "[ascii]") {
  CHECK(LowerAscii("JPG.\xc3\x9c@[`{z") == "jpg.\xc3\x9c@[`{z");
}

}  // namespace
}  // namespace shardine::ascii_test
