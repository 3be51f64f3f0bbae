#include "base/deflate.h"

#include <catch2/catch.hpp>
#include <string>

#include "base/inflate.h"

namespace shardine::deflate_test {
namespace {

TEST_CASE("ZlibCompress makes one stream that inflates to its input",
          "[deflate]") {
  for (const std::size_t size : {0U, 1U, 70000U}) {
    for (const int level : {1, 6, 9}) {
      std::string text;
      for (std::size_t i = 0; i < size; ++i) {
        text += static_cast<char>(i * i >> 5 & 255);
      }
      const std::string stream = ZlibCompress(AsBytes(text), level);
      std::string back(size + 1, '\0');
      Inflater inflater;
      auto step = inflater.Inflate(AsBytes(stream),
                                   std::as_writable_bytes(std::span(back)));
      REQUIRE(step.ok());
      CHECK(step->done);
      CHECK(step->consumed == stream.size());
      back.resize(step->produced);
      CHECK(back == text);
    }
  }
}

}  // namespace
}  // namespace shardine::deflate_test
