#include "base/name_form.h"

#include <catch2/catch.hpp>
#include <string>

namespace shardine::name_form_test {
namespace {

const std::string kComposed = "caf\xC3\xA9";
const std::string kDecomposed = "cafe\xCC\x81";

TEST_CASE("Names of one Unicode form are composed alike", "[name_form]") {
  CHECK(ComposedName(kDecomposed) == kComposed);
  CHECK(ComposedName(kComposed) == kComposed);
  CHECK(ComposedName("Cat") == "Cat");
  CHECK(ComposedName("").empty());
  // Hangul, and two marks in the other order.
  CHECK(ComposedName("\xE1\x84\x92\xE1\x85\xA1") == "\xED\x95\x98");
  CHECK(ComposedName("a\xCC\x81\xCC\xA7") == ComposedName("a\xCC\xA7\xCC\x81"));
}

TEST_CASE("Names of one case are folded alike", "[name_form]") {
  CHECK(FoldedName("CAF\xC3\x89") == FoldedName(kDecomposed));
  CHECK(FoldedName("Stra\xC3\x9F"
                   "e") == FoldedName("STRASSE"));
  CHECK(FoldedName("cat") != FoldedName("cot"));
}

TEST_CASE("Names that are no UTF-8 stay as they are", "[name_form]") {
  CHECK(ComposedName("a\xFF") == "a\xFF");
  CHECK(FoldedName("A\xFF") == "A\xFF");
  CHECK(FoldedName(std::string("A\0b", 3)).size() == 3);
}

}  // namespace
}  // namespace shardine::name_form_test
