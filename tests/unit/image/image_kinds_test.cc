#include "shardine/image_kinds.h"

#include <catch2/catch.hpp>

#include "shardine/option.h"

namespace shardine::image_kinds_test {
namespace {

TEST_CASE("ParseImageKinds takes names in any order, each once", "[kind]") {
  for (const char* text : {"png,jpeg", "jpeg,png", "png,jpeg,png"}) {
    const auto kinds = ParseImageKinds(text);
    REQUIRE(kinds.ok());
    CHECK(*kinds == FirstImageKinds());
  }
  CHECK(*ParseImageKinds(NamesText(AllImageKinds())) == AllImageKinds());
}

TEST_CASE("ParseImageKinds refuses other names, and quotes them", "[kind]") {
  for (const char* text : {"", ",", "jpeg,", "JPEG", "heic", "jpeg, png"}) {
    CHECK(ParseImageKinds(text).status().code() == Code::kInvalidArgument);
  }
  const std::string message = ParseImageKinds("png,webpp").status().message();
  CHECK(message ==
        "\"webpp\" is not one of jpeg,png,webp,gif,bmp,tiff (did you mean "
        "webp?)");
}

}  // namespace
}  // namespace shardine::image_kinds_test
