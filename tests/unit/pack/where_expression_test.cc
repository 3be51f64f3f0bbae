// Conditions on samples: samples that they hold of, and texts that are no
// condition.
#include "pack/where_expression.h"

#include <catch2/catch.hpp>
#include <functional>
#include <string>
#include <vector>

#include "support/draws.h"

namespace shardine::where_expression_test {
namespace {

const std::vector<Label> kThree = {Label(3)};
const std::vector<std::string_view> kClasses = {"n01"};

WhereSample Photo() {
  return {.split = "train",
          .key = "raw/n01/a.jpg",
          .id = 12,
          .labels = kThree,
          .classes = kClasses,
          .bytes = 1000,
          .width = 640,
          .height = 480};
}

bool Holds(const std::string& text, const WhereSample& sample = Photo()) {
  const auto parsed = WhereExpression::Parse(text);
  INFO(text);
  REQUIRE(parsed.status().ToString() == "OK");
  return parsed->Holds(sample);
}

std::string Refusal(const std::string& text) {
  const auto parsed = WhereExpression::Parse(text);
  INFO(text);
  CHECK(parsed.status().code() == Code::kInvalidArgument);
  return parsed.status().message();
}

// semantics review 5.
TEST_CASE("A condition is met by any of several labels", "[where]") {
  const std::vector<Label> labels = {Label(3), Label(5)};
  const std::vector<std::string_view> classes = {"ant", "bee"};
  WhereSample sample = Photo();
  sample.labels = labels;
  sample.classes = classes;
  for (const char* text :
       {"class = ant", "class = bee", "class ~ 'b*'", "class in (cow, bee)",
        "label = 5", "label < 4", "label > 4", "class != cow", "label != 4",
        "class !~ 'c*'"}) {
    CHECK(Holds(text, sample));
    CHECK_FALSE(Holds("not " + std::string(text), sample));
  }
  for (const char* text : {"class = cow", "class != bee", "class !~ 'b*'",
                           "label = 4", "label != 5", "label > 5"}) {
    CHECK_FALSE(Holds(text, sample));
  }
}

// semantics review 17.
TEST_CASE("A condition names any id", "[where]") {
  WhereSample sample = Photo();
  sample.id = ~std::uint64_t{0};
  CHECK(Holds("id = 18446744073709551615", sample));
  CHECK_FALSE(Holds("id = 18446744073709551614", sample));
  sample.id = (std::uint64_t{1} << 63);
  CHECK(Holds("id < 9223372036854775809", sample));
  CHECK_FALSE(Holds("id < 9223372036854775808", sample));
  CHECK_THAT(Refusal("id = 18446744073709551617"),
             Catch::Contains("a number is expected"));
}

TEST_CASE("A condition compares numbers and texts of a sample", "[where]") {
  for (const char* text : {"label = 3",      "label == 3",
                           "label <= 3",     "label >= 3",
                           "label < 3.5",    "label > 2.5",
                           "label != 4",     "label in (1, 3)",
                           "labels = 1",     "id = 12",
                           "bytes = 1000",   "width > 639",
                           "height < 481",   "key = raw/n01/a.jpg",
                           "key != b",       "key ~ \"raw/*\"",
                           "key ~ '*.jpg'",  "key ~ \"*n0?/*\"",
                           "key !~ '*.png'", "split in (val, train)",
                           "class = n01",    "class ~ 'n*'",
                           "label=3",        "key='raw\\x2Fn01/a.jpg'",
                           "label = 3.0"}) {
    CHECK(Holds(text));
    CHECK_FALSE(Holds("not " + std::string(text)));
  }
  for (const char* text :
       {"label = 4", "label < 3", "label > 3", "label != 3", "label in (1, 2)",
        "labels = 2", "id = 13", "key ~ 'raw'", "key ~ '?'", "key ~ ''",
        "key !~ '*'", "split = val", "class != n01"}) {
    CHECK_FALSE(Holds(text));
  }
}

TEST_CASE("Conditions bind as they do elsewhere: not, then and, then or",
          "[where]") {
  CHECK(Holds("label = 9 and id = 9 or width = 640"));
  CHECK(Holds("width = 640 or label = 9 and id = 9"));
  CHECK_FALSE(Holds("label = 9 and (id = 9 or width = 640)"));
  CHECK_FALSE(Holds("not label = 9 and id = 9"));
  CHECK(Holds("not (label = 9 and id = 9)"));
  CHECK(Holds("not not label = 3"));
}

TEST_CASE("What a sample does not have meets no condition", "[where]") {
  const WhereSample nothing{.split = "train", .key = "k"};
  for (const char* text :
       {"label = 0", "label != 0", "class = a", "class != a", "class !~ 'a*'",
        "width = 0", "width < 1", "height != 5", "label in (0)"}) {
    CHECK_FALSE(Holds(text, nothing));
    CHECK(Holds("not " + std::string(text), nothing));
  }
  CHECK(Holds("labels = 0", nothing));
}

TEST_CASE("Numbers beyond a double's whole numbers are told apart", "[where]") {
  const std::vector<Label> least = {Label(INT64_MIN)};
  WhereSample sample = Photo();
  sample.id = (std::uint64_t{1} << 53) + 1;
  sample.labels = least;
  CHECK(Holds("id = 9007199254740993", sample));
  CHECK_FALSE(Holds("id = 9007199254740992", sample));
  CHECK(Holds("label = -9223372036854775808", sample));
  CHECK_FALSE(Holds("label = -9223372036854775807", sample));
}

TEST_CASE("A pattern matches as one that tries all ways does", "[where]") {
  // The slow way: a star is nothing, or one byte more.
  const std::function<bool(std::string_view, std::string_view)> like =
      [&](std::string_view text, std::string_view pattern) {
        if (pattern.empty()) return text.empty();
        if (pattern[0] == '*') {
          return like(text, pattern.substr(1)) ||
                 (!text.empty() && like(text.substr(1), pattern));
        }
        return !text.empty() && (pattern[0] == '?' || pattern[0] == text[0]) &&
               like(text.substr(1), pattern.substr(1));
      };
  Draws random(7);
  int matches = 0;
  for (int draw = 0; draw < 3000; ++draw) {
    std::string text;
    std::string pattern;
    while (random.Below(6) > 0) text += random.Below(2) > 0 ? 'a' : '/';
    while (random.Below(6) > 0) pattern += "a/?*"[random.Below(4)];
    WhereSample sample = Photo();
    sample.key = text;
    const bool wanted = like(text, pattern);
    INFO(text << " ~ " << pattern);
    CHECK(Holds("key ~ '" + pattern + "'", sample) == wanted);
    matches += wanted ? 1 : 0;
  }
  CHECK(matches > 300);
}

TEST_CASE("What is no condition is refused with its place", "[where]") {
  CHECK_THAT(Refusal(""), Catch::Contains("at its end"));
  CHECK_THAT(Refusal("labl < 3"), Catch::Contains("did you mean label"));
  CHECK_THAT(Refusal("label < 3 then"), Catch::Contains("at \"then\""));
  CHECK_THAT(Refusal("label ~ 3"), Catch::Contains("one of = != <"));
  CHECK_THAT(Refusal("key < a"), Catch::Contains("one of = != ~"));
  CHECK_THAT(Refusal("label < tench"), Catch::Contains("a number"));
  CHECK_THAT(Refusal("label = nan"), Catch::Contains("a number"));
  CHECK_THAT(Refusal("(label < 3"), Catch::Contains("\")\" is missing"));
  CHECK_THAT(Refusal("label in 3"), Catch::Contains("\"(\" is missing"));
  CHECK_THAT(Refusal("label in (3"), Catch::Contains("\")\" is missing"));
  CHECK_THAT(Refusal("key = 'a"), Catch::Contains("no end"));
  CHECK_THAT(Refusal("key = 'a\\'"), Catch::Contains("without xHH"));
  CHECK_THAT(Refusal("label <"), Catch::Contains("a value"));
  Refusal("and");
  Refusal("label = 3 and");
  Refusal("label = 3 or or label = 4");
  Refusal("label");
  // Neither depth nor length goes to the stack.
  CHECK_THAT(Refusal(std::string(100'000, '(')), Catch::Contains("deep"));
  std::string nots;
  for (int i = 0; i < 10'000; ++i) nots += "not ";
  CHECK_THAT(Refusal(nots + "label = 3"), Catch::Contains("deep"));
  std::string many = "label = 3";
  for (int i = 0; i < 5000; ++i) many += " or label = 3";
  CHECK_THAT(Refusal(many), Catch::Contains("conditions"));
}

}  // namespace
}  // namespace shardine::where_expression_test
