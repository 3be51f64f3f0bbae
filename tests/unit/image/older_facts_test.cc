#include "image/older_facts.h"

#include <catch2/catch.hpp>

namespace shardine::older_facts_test {
namespace {

TEST_CASE("IsOlderProbe takes a kind alone for kinds decoded since",
          "[image]") {
  const ImageFacts webp = {
      .kind = ImageKind::kWebp, .width = 3, .height = 2, .bits = 8};
  CHECK(IsOlderProbe({.kind = ImageKind::kWebp}, webp));
  CHECK(IsOlderProbe({.kind = ImageKind::kHeic}, {.kind = ImageKind::kAvif}));
  CHECK(IsOlderProbe({}, {.kind = ImageKind::kJpegXl}));
}

TEST_CASE("IsOlderProbe takes no other facts", "[image]") {
  const ImageFacts webp = {
      .kind = ImageKind::kWebp, .width = 3, .height = 2, .bits = 8};
  ImageFacts other = webp;
  other.width = 4;
  CHECK_FALSE(IsOlderProbe(other, webp));
  CHECK_FALSE(IsOlderProbe({.kind = ImageKind::kGif}, webp));
  CHECK_FALSE(IsOlderProbe({.kind = ImageKind::kUnknown}, webp));
  CHECK_FALSE(IsOlderProbe({.kind = ImageKind::kJpeg},
                           {.kind = ImageKind::kJpeg, .width = 3}));
}

}  // namespace
}  // namespace shardine::older_facts_test
