#include "shardine/sample.h"

#include <catch2/catch.hpp>

#include "base/bytes.h"

namespace shardine::sample_test {
namespace {

TEST_CASE("SampleView finds the image among its fields", "[sample]") {
  const FieldView fields[] = {{.name = "depth", .bytes = AsBytes("d")},
                              {.name = "image", .bytes = AsBytes("jpeg")},
                              {.name = "mask", .bytes = AsBytes("m")}};
  SampleView sample;
  CHECK(sample.image().empty());
  sample.fields = fields;
  CHECK(AsText(sample.image()) == "jpeg");
  sample.fields = std::span(fields).first(1);
  CHECK(sample.image().empty());
}

}  // namespace
}  // namespace shardine::sample_test
