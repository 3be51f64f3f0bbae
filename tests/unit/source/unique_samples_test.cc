#include "source/unique_samples.h"

#include <catch2/catch.hpp>
#include <string>

namespace shardine::unique_samples_test {
namespace {

TEST_CASE("CheckUnique names an id that comes twice and both keys",
          "[unique_samples]") {
  SourceList samples;
  samples.Add("a", 5, {}, 0);
  samples.Add("b", 3, {}, 0);
  samples.Add("c\n", 5, {}, 0);
  samples.Add("d", 4, {}, 0);
  const Status status = CheckUnique(samples);
  CHECK(status.code() == Code::kInvalidArgument);
  CHECK(status.message() == "id 5 comes twice: a and c\\x0A");
  samples.SetId(2, 6);
  CHECK(CheckUnique(samples).ok());
}

TEST_CASE("CheckUnique names a key that comes twice in one root",
          "[unique_samples]") {
  SourceList samples;
  samples.Add("a", 0, {}, 0);
  samples.Add("b", 1, {}, 0);
  samples.Add("a", 2, {}, 1);
  const Status status = CheckUnique(samples);
  CHECK(status.code() == Code::kInvalidArgument);
  CHECK(status.ToString() == "key a: the key comes twice, with ids 0 and 2");
  samples.SetRoot(2, 1);
  CHECK(CheckUnique(samples).ok());
}

TEST_CASE("CheckUnique finds one pair among many", "[unique_samples]") {
  SourceList samples;
  for (std::uint64_t i = 0; i < 20'000; ++i) {
    samples.Add("key" + std::to_string(i), 20'000 - i, {}, 0);
  }
  CHECK(CheckUnique(samples).ok());
  samples.Add("key12345", 0, {}, 0);
  CHECK(CheckUnique(samples).where().key == "key12345");
  CHECK(CheckUnique(SourceList()).ok());
}

TEST_CASE("FindKeyTwice tells keys of one input from those of several",
          "[unique_samples]") {
  SourceList samples;
  const auto add = [&](const char* key, std::uint32_t split,
                       std::uint32_t root) {
    const std::uint64_t id = samples.size();
    samples.SetRoot(samples.Add(key, id, {}, split), root);
  };
  add("a", 0, 0);
  add("a", 1, 0);
  CHECK_FALSE(FindKeyTwice(samples));
  add("a", 0, 1);
  REQUIRE(FindKeyTwice(samples));
  CHECK(samples.key(*FindKeyTwice(samples)) == "a");
  CHECK_FALSE(FindKeyTwice(samples, KeyScope::kInput));
  add("a", 1, 0);
  CHECK(FindKeyTwice(samples, KeyScope::kInput));
}

}  // namespace
}  // namespace shardine::unique_samples_test
