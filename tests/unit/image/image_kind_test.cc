#include "image/image_kind.h"

#include <catch2/catch.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "support/jpeg_maker.h"
#include "support/png_maker.h"

namespace shardine::image_kind_test {
namespace {

using namespace std::string_literals;

ImageKind KindOf(std::string_view text) {
  return DetectImageKind(AsBytes(text));
}

TEST_CASE("DetectImageKind knows images by their first bytes", "[kind]") {
  const std::string bmp =
      "BM" + "\x46\0\0\0\0\0\0\0\x36\0\0\0"s + "\x28\0\0\0"s;
  CHECK(KindOf(MakeJpeg()) == ImageKind::kJpeg);
  CHECK(KindOf(MakePng()) == ImageKind::kPng);
  CHECK(KindOf("RIFF\x10\0\0\0WEBPVP8 "s) == ImageKind::kWebp);
  CHECK(KindOf("GIF87a\1\0\1\0"s) == ImageKind::kGif);
  CHECK(KindOf("GIF89a\1\0\1\0"s) == ImageKind::kGif);
  CHECK(KindOf(bmp) == ImageKind::kBmp);
  CHECK(KindOf("II*\0\x08\0\0\0"s) == ImageKind::kTiff);
  CHECK(KindOf("MM\0*\0\0\0\x08"s) == ImageKind::kTiff);
  CHECK(KindOf("MM\0+\0\x08\0\0"s) == ImageKind::kTiff);
  CHECK(KindOf("\0\0\0\x18"s + "ftypheic\0\0\0\0"s) == ImageKind::kHeic);
  CHECK(KindOf("\0\0\0\x1c"s + "ftypavif\0\0\0\0"s) == ImageKind::kAvif);
  CHECK(KindOf("\0\0\0\x18"s + "ftypmif1\0\0\0\0mif1avif"s) ==
        ImageKind::kAvif);
  CHECK(KindOf("\0\0\0\x18"s + "ftypmif1\0\0\0\0mif1heic"s) ==
        ImageKind::kHeic);
  CHECK(KindOf("\xFF\x0A\x01") == ImageKind::kJpegXl);
  CHECK(KindOf("\0\0\0\x0CJXL \r\n\x87\n"s) == ImageKind::kJpegXl);
}

TEST_CASE("DetectImageKind knows markup in any case and after white space",
          "[kind]") {
  CHECK(KindOf("<!DOCTYPE HTML PUBLIC \"-//W3C//DTD\">") == ImageKind::kHtml);
  CHECK(KindOf("\xEF\xBB\xBF \r\n\t<HtMl lang=en>") == ImageKind::kHtml);
  CHECK(KindOf("<head><title>404</title>") == ImageKind::kHtml);
  CHECK(KindOf("<?xml version='1.0'?><html>") == ImageKind::kHtml);
  CHECK(KindOf("<svg xmlns=\"http://www.w3.org/2000/svg\">") ==
        ImageKind::kSvg);
  CHECK(KindOf("<?xml version='1.0'?>\n<!-- a -->\n<svg>") == ImageKind::kSvg);
  CHECK(KindOf("<!-- drawn -->\n<SVG>") == ImageKind::kSvg);
}

TEST_CASE("DetectImageKind knows a git-LFS pointer", "[kind]") {
  CHECK(KindOf("version https://git-lfs.github.com/spec/v1\noid sha256:00\n") ==
        ImageKind::kGitLfsPointer);
}

TEST_CASE("DetectImageKind calls nothing an image that is none", "[kind]") {
  const std::vector<std::string> others = {
      ""s,
      "\xFF"s,
      "\xFF\xD8"s,
      "\xFF\xD8\0"s,
      "\x89PNG"s,
      "plain text"s,
      "BM is how this sentence starts, and it ends"s,
      "RIFF\x10\0\0\0WAVEfmt "s,
      "\0\0\0\x18"s + "ftypmp42\0\0\0\0"s,
      "<"s,
      "<?xml version='1.0'?><rss>"s,
      "   "s,
      std::string(2000, ' ') + "<html>",
      "see <html>"s,
  };
  for (const std::string& text : others) {
    CAPTURE(text);
    CHECK(KindOf(text) == ImageKind::kUnknown);
  }
}

TEST_CASE("ToString gives every ImageKind a name of its own", "[kind]") {
  const std::vector<std::pair<ImageKind, std::string>> names = {
      {ImageKind::kUnknown, "unknown"},
      {ImageKind::kJpeg, "jpeg"},
      {ImageKind::kPng, "png"},
      {ImageKind::kWebp, "webp"},
      {ImageKind::kGif, "gif"},
      {ImageKind::kBmp, "bmp"},
      {ImageKind::kTiff, "tiff"},
      {ImageKind::kHeic, "heic"},
      {ImageKind::kSvg, "svg"},
      {ImageKind::kHtml, "html"},
      {ImageKind::kGitLfsPointer, "git-lfs-pointer"},
      {ImageKind::kAvif, "avif"},
      {ImageKind::kJpegXl, "jxl"},
  };
  for (const auto& [kind, name] : names) CHECK(ToString(kind) == name);
}

}  // namespace
}  // namespace shardine::image_kind_test
