#include "shardine/did_you_mean.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

namespace shardine::did_you_mean_test {
namespace {

const std::vector<std::string> kVerbs = {
    "pack", "verify", "index", "reindex", "convert", "ls", "list", "cat"};

TEST_CASE("DidYouMean finds the word behind a typing error", "[words]") {
  const struct {
    const char* typed;
    const char* meant;
  } cases[] = {{"pakc", "pack"},   {"pck", "pack"},       {"packk", "pack"},
               {"PACK", "pack"},   {"verfy", "verify"},   {"veirfy", "verify"},
               {"idnex", "index"}, {"reindx", "reindex"}, {"conver", "convert"},
               {"lst", "ls"},      {"lits", "list"}};
  for (const auto& c : cases) {
    INFO(c.typed);
    CHECK(DidYouMean(c.typed, kVerbs) ==
          std::string(" (did you mean ") + c.meant + "?)");
  }
}

TEST_CASE("DidYouMean says nothing about what is near no word", "[words]") {
  for (const char* typed : {"", "x", "zip", "frobnicate", "photos"}) {
    INFO(typed);
    CHECK(DidYouMean(typed, kVerbs).empty());
  }
  CHECK(DidYouMean(std::string(100'000, 'p'), kVerbs).empty());
  CHECK(DidYouMean("pack", {}).empty());
}

}  // namespace
}  // namespace shardine::did_you_mean_test
