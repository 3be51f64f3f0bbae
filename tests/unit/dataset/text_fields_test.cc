#include "dataset/text_fields.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

namespace shardine::text_fields_test {
namespace {

using Names = std::vector<std::string>;

FieldView Field(std::string_view name, std::string_view bytes,
                bool is_text = false) {
  return {.name = name,
          .bytes = std::as_bytes(std::span(bytes)),
          .is_text = is_text};
}

ScannedSample Scanned(const std::vector<ScannedField>& fields) {
  ScannedSample sample;
  sample.fields = fields;
  return sample;
}

ScannedField InRecord(std::string_view name, std::string_view bytes,
                      bool is_text) {
  return {.name = name,
          .shape = {},
          .bytes = AsBytes(bytes),
          .extents = {},
          .is_text = is_text};
}

TEST_CASE("TextFields takes a field for text in all samples or in none",
          "[text]") {
  TextFields texts;
  CHECK(texts.Add(std::vector{Field("a", "dog", true), Field("b", "x")}).ok());
  CHECK(texts.Add(std::vector{Field("a", "", true)}).ok());
  CHECK(texts.names() == Names{"a"});
  CHECK(texts.Add(std::vector{Field("a", "dog")}).message() ==
        "the field \"a\" is bytes, and was text in samples before");
  CHECK(texts.Add(std::vector{Field("b", "x", true)}).message() ==
        "the field \"b\" is text, and was bytes in samples before");
}

TEST_CASE("TextFields refuses a text that is not UTF-8, or no bytes",
          "[text]") {
  TextFields texts;
  CHECK(texts.Add(std::vector{Field("a", "\xFF", true)}).code() ==
        Code::kInvalidArgument);
  FieldView number = Field("a", "8 bytes.", true);
  number.dtype = "<f8";
  CHECK(texts.Add(std::vector{number}).code() == Code::kInvalidArgument);
  CHECK(texts.names().empty());
}

TEST_CASE("ScannedTexts takes a field for text if all records say so and are",
          "[text]") {
  ScannedTexts first;
  first.Add(Scanned({InRecord("json", "{}", true), InRecord("raw", "x", false),
                     InRecord("txt", "a", true)}));
  ScannedTexts second;
  second.Add(
      Scanned({InRecord("json", "{}", true), InRecord("txt", "\xFC", true)}));
  first.Add(second);
  CHECK(first.names() == Names{"json"});
  CHECK(first.Warnings() ==
        Names{"the field \"txt\" is no text in UTF-8 in 1 of 2 samples, and "
              "comes as bytes"});
}

TEST_CASE("CheckTexts names the field that is not UTF-8", "[text]") {
  const std::vector fields = {Field("a", "dog"), Field("b", "\xFF")};
  CHECK(CheckTexts(fields, {"a"}).ok());
  const Status status = CheckTexts(fields, {"a", "b"});
  CHECK(status.code() == Code::kUnsupported);
  CHECK(status.message() ==
        "the field \"b\" is text, and these bytes are not UTF-8");
}

}  // namespace
}  // namespace shardine::text_fields_test
