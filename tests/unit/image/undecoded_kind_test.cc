#include "image/undecoded_kind.h"

#include <catch2/catch.hpp>
#include <string>

#include "image/probe.h"
#include "support/jpeg_maker.h"
#include "support/still_images.h"

namespace shardine::undecoded_kind_test {
namespace {

using std::string_literals::operator""s;

std::string_view KindOf(const std::string& bytes) {
  return UndecodedKind(ProbeImage(AsBytes(bytes)).facts);
}

bool Is(const std::string& bytes) {
  return IsOfUndecodedKind(AsBytes(bytes), Status(Code::kCorrupt, "any"));
}

TEST_CASE("UndecodedKind names images that no decoder here reads", "[image]") {
  CHECK(KindOf("\xFF\x0A"s) == "jxl");
  CHECK(KindOf("\0\0\0\x1c"s + "ftypavif\0\0\0\0"s) == "avif");
  CHECK(KindOf("\0\0\0\x1c"s + "ftypheic\0\0\0\0"s) == "heic");
  CHECK(Is("\xFF\x0A"s));
  CHECK(KindOf(MakeTiff({.bits = 32, .format = 3})) == "tiff");
  CHECK(Is(MakeTiff({.bits = 32, .format = 3})));
}

TEST_CASE("UndecodedKind is empty for images of libraries, sound or damaged",
          "[image]") {
  CHECK(KindOf(MakeGif()).empty());
  CHECK(KindOf("GIF89a" + std::string(40, '\0')).empty());
  CHECK_FALSE(Is("GIF89a" + std::string(40, '\0')));
  CHECK(KindOf("II*\0\x08\0\0\0"s).empty());
}

TEST_CASE("UndecodedKind knows rows of sidecars that are older than a decoder",
          "[image]") {
  CHECK(UndecodedKind({.kind = ImageKind::kWebp}) == "webp");
  CHECK(UndecodedKind({.kind = ImageKind::kWebp, .bits = 8}).empty());
  CHECK(IsDecodedKind(ImageKind::kWebp));
  CHECK_FALSE(IsDecodedKind(ImageKind::kHeic));
}

TEST_CASE("UndecodedKind tells JPEGs by their frame", "[image]") {
  std::string jpeg = MakeJpeg({.width = 24, .height = 17});
  CHECK(KindOf(jpeg).empty());
  CHECK_FALSE(Is(jpeg));
  CHECK_FALSE(Is(jpeg.substr(0, jpeg.size() / 2)));
  const std::size_t frame = jpeg.find("\xFF\xC0");
  REQUIRE(frame != std::string::npos);
  jpeg[frame + 1] = '\xC3';  // the same header, of a lossless process
  CHECK(KindOf(jpeg) == "lossless jpeg");
  CHECK(Is(jpeg));
}

TEST_CASE("A JPEG of arithmetic coding is undecoded where libjpeg says so",
          "[image]") {
  const std::string jpeg = MakeJpeg({.width = 24, .height = 17});
  const auto is = [&](Code code, const std::string& message) {
    return IsOfUndecodedKind(AsBytes(jpeg), Status(code, message));
  };
  CHECK(is(Code::kUnsupported, kArithmeticCoding));
  CHECK_FALSE(is(Code::kUnsupported, "a box outside of the image"));
  CHECK_FALSE(is(Code::kCorrupt, kArithmeticCoding));
}

TEST_CASE("UndecodedKind leaves what is no image to those who look for damage",
          "[image]") {
  for (const std::string bytes :
       {"", "<html>404</html>", "version https://git-lfs.github.com", "abc"}) {
    CHECK(KindOf(bytes).empty());
    CHECK_FALSE(Is(bytes));
  }
}

}  // namespace
}  // namespace shardine::undecoded_kind_test
