#include "webdataset/sample_json.h"

#include <catch2/catch.hpp>
#include <limits>

namespace shardine::sample_json_test {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

std::string Json(std::string_view key, const std::vector<Label>& labels) {
  std::string text;
  AppendSampleJson({}, key, labels, text);
  return text;
}

TEST_CASE("AppendSampleJson writes key and labels in one fixed form",
          "[webdataset][json]") {
  CHECK(Json("n01/a.jpg", {Label(7)}) ==
        R"({"shardine":1,"key":"n01/a.jpg","labels":[7]})");
  CHECK(Json("", {}) == R"({"shardine":1,"key":"","labels":[]})");
  CHECK(Json("a\"\\\n\xff",
             {Label(-3), Label::FromReal(0.1), Label::FromReal(-kInf),
              Label::FromReal(kInf), Label::FromReal(1e300)}) ==
        R"({"shardine":1,"key":"a\"\\x5C\\x0A\\xFF",)"
        R"("labels":[-3,0.1,"-inf","inf",1e+300]})");
}

TEST_CASE("ParseSampleJson reads back any key and label",
          "[webdataset][json]") {
  std::string all_bytes;
  for (int c = 0; c < 256; ++c) all_bytes += static_cast<char>(c);
  const std::vector<Label> labels = {
      Label(0),
      Label(std::numeric_limits<std::int64_t>::min()),
      Label(std::numeric_limits<std::int64_t>::max()),
      Label::FromReal(9223372036854775808.0),
      Label::FromReal(-1e19),
      Label::FromReal(0.1),
      Label::FromReal(5e-324),
      Label::FromReal(std::numeric_limits<double>::max()),
      Label::FromReal(-0.0),
      Label::FromReal(kInf),
      Label::FromReal(-kInf)};
  for (const std::string& key :
       {std::string(), all_bytes, std::string("gr\xc3\xbc\xc3\x9f e"),
        std::string(70'000, '\\')}) {
    const std::string text = Json(key, labels);
    CHECK(IsSampleJson(text));
    SampleJson found{.id = 5, .key = "before", .labels = {Label(99)}};
    REQUIRE(ParseSampleJson(text, found).ok());
    CHECK(found.id == std::nullopt);
    CHECK(found.key == key);
    CHECK(found.labels == labels);
  }
}

TEST_CASE("A sample's .json has its id where that is no name of files",
          "[webdataset][json]") {
  for (const std::uint64_t id : {0UL, 7UL, ~0UL}) {
    std::string text;
    AppendSampleJson(id, "a", {}, text);
    CHECK(text == "{\"shardine\":1,\"id\":" + std::to_string(id) +
                      ",\"key\":\"a\",\"labels\":[]}");
    SampleJson found;
    REQUIRE(ParseSampleJson(text, found).ok());
    CHECK(found.id == id);
    CHECK(found.key == "a");
  }
}

TEST_CASE("ParseSampleJson refuses what is not as it is written",
          "[webdataset][json][corruption]") {
  for (const char* text : {R"({"shardine":)",
                           R"({"shardine":1)",
                           R"({"shardine":1,)",
                           R"({"shardine":1,"key":"a","labels":[7]})"
                           "\n",
                           R"({"shardine":1, "key":"a","labels":[7]})",
                           R"({"shardine":1,"key":"a","labels":[7],"x":0})",
                           R"({"shardine":1,"labels":[7],"key":"a"})",
                           R"({"shardine":1,"key":"a","labels":[7)",
                           R"({"shardine":1,"key":"a","labels":[7,]})",
                           R"({"shardine":1,"key":"a","labels":[,7]})",
                           R"({"shardine":1,"key":"a","labels":[ 7]})",
                           R"({"shardine":1,"key":"a","labels":[07]})",
                           R"({"shardine":1,"key":"a","labels":[+7]})",
                           R"({"shardine":1,"key":"a","labels":[7.0]})",
                           R"({"shardine":1,"key":"a","labels":[-0]})",
                           R"({"shardine":1,"key":"a","labels":[nan]})",
                           R"({"shardine":1,"key":"a","labels":[inf]})",
                           R"({"shardine":1,"key":"a","labels":[1e999]})",
                           R"({"shardine":1,"key":"a","labels":["7"]})",
                           R"({"shardine":1,"key":"a","labels":[[7]]})",
                           R"({"shardine":1,"key":"a","labels":7})",
                           R"({"shardine":1,"key":7,"labels":[7]})",
                           R"({"shardine":1,"key":"a\u0062","labels":[7]})",
                           R"({"shardine":1,"key":"a\\x62","labels":[7]})",
                           R"({"shardine":1,"key":"a\\q","labels":[7]})",
                           R"({"shardine":1,"key":"a\\","labels":[7]})",
                           R"({"shardine":1,"key":"a\)",
                           "{\"shardine\":1,\"key\":\"\xff\",\"labels\":[]}",
                           R"({"shardine":x,"key":"a","labels":[7]})",
                           R"({"shardine":01,"key":"a","labels":[7]})",
                           R"({"shardine":1,"id":,"key":"a","labels":[]})",
                           R"({"shardine":1,"id":07,"key":"a","labels":[]})",
                           R"({"shardine":1,"id":-7,"key":"a","labels":[]})",
                           R"({"shardine":1,"id":7"key":"a","labels":[]})",
                           R"({"shardine":1,"id":7)",
                           R"({"shardine":1,"key":"a","id":7,"labels":[]})",
                           R"({"shardine":1,"id":18446744073709551616,)"
                           R"("key":"a","labels":[]})"}) {
    SampleJson json;
    INFO(text);
    REQUIRE(IsSampleJson(text));
    CHECK(ParseSampleJson(text, json).code() == Code::kCorrupt);
  }
}

TEST_CASE("ParseSampleJson finds every cut and never invents a label",
          "[webdataset][json][corruption]") {
  const std::string text = Json("n01/a\xff.jpg", {Label(12), Label(-5)});
  SampleJson json;
  for (std::size_t size = 12; size < text.size(); ++size) {
    REQUIRE(ParseSampleJson(text.substr(0, size), json).code() ==
            Code::kCorrupt);
  }
}

TEST_CASE("ParseSampleJson says that a newer version wrote it",
          "[webdataset][json]") {
  for (const char* text :
       {R"({"shardine":2,"key":"a"})", R"({"shardine":10})"}) {
    SampleJson json;
    const Status status = ParseSampleJson(text, json);
    CHECK(status.code() == Code::kUnsupported);
    CHECK(status.message().find("newer") != std::string::npos);
  }
}

TEST_CASE("ParseSampleJson takes as many labels as a writer gives",
          "[webdataset][json]") {
  std::vector<Label> labels(kMaxJsonLabels, Label(1));
  SampleJson json;
  REQUIRE(ParseSampleJson(Json("k", labels), json).ok());
  CHECK(json.labels.size() == kMaxJsonLabels);
  labels.push_back(Label(1));
  CHECK(ParseSampleJson(Json("k", labels), json).code() == Code::kUnsupported);
}

TEST_CASE("IsSampleJson knows its own mark only", "[webdataset][json]") {
  CHECK(IsSampleJson(R"({"shardine":1,)"));
  for (const char* text : {"", "{", R"({"key":"a","labels":[1]})",
                           R"({ "shardine":1})", R"({"shardine": 1})"}) {
    CHECK((IsSampleJson(text)) ==
          (std::string_view(text) == R"({"shardine": 1})"));
  }
}

}  // namespace
}  // namespace shardine::sample_json_test
