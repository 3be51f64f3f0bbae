#include "pack/key_prefix.h"

#include <catch2/catch.hpp>
#include <string>

namespace shardine::key_prefix_test {
namespace {

std::string Of(const std::string& text, const KeyOrigin& origin) {
  const auto prefix = KeyPrefix::Parse(text);
  REQUIRE(prefix.ok());
  return prefix->Of(origin, "k/1.jpg");
}

TEST_CASE("KeyPrefix writes where a sample comes from", "[key_prefix]") {
  const KeyOrigin origin{.input = "in/imagenet/",
                         .number = 3,
                         .shard = "../cc3m/00007.tar.gz",
                         .id = 12};
  CHECK(Of("", origin) == "k/1.jpg");
  CHECK(Of("old-", origin) == "old-k/1.jpg");
  CHECK(Of("{name}/", origin) == "imagenet/k/1.jpg");
  CHECK(Of("{n}/{id}/", origin) == "3/12/k/1.jpg");
  CHECK(Of("x{shard}}{n}", origin) == "x00007}3k/1.jpg");
}

TEST_CASE("KeyPrefix has dashes for a sample that its input lost",
          "[key_prefix]") {
  CHECK(Of("{n}/{shard}/{id}/", {.input = "a", .number = 0}) ==
        "0/-/-/k/1.jpg");
}

TEST_CASE("KeyPrefix cuts the name of a hidden shard after its first dot",
          "[key_prefix]") {
  const KeyOrigin origin{.input = "a", .shard = "d/.b.tar"};
  CHECK(Of("{shard}/", origin) == ".b/k/1.jpg");
}

TEST_CASE("KeyPrefix refuses a brace of no word", "[key_prefix]") {
  for (const char* text : {"{", "{}", "{number}/", "a{n", "{n}{ids}", "{N}"}) {
    INFO(text);
    const auto prefix = KeyPrefix::Parse(text);
    CHECK(prefix.status().code() == Code::kInvalidArgument);
    CHECK_THAT(prefix.status().message(),
               Catch::Contains("none of {name}, {n}, {shard} and {id}"));
  }
}

TEST_CASE("KeyPrefix knows whether inputs and ids tell its keys apart",
          "[key_prefix]") {
  CHECK(KeyPrefix::Parse("a{n}")->has_number());
  CHECK_FALSE(KeyPrefix::Parse("a{n}")->has_id());
  CHECK(KeyPrefix::Parse("{shard}{id}")->has_id());
  CHECK_FALSE(KeyPrefix().has_number());
}

}  // namespace
}  // namespace shardine::key_prefix_test
