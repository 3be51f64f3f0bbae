#include "image/check_image.h"

#include <catch2/catch.hpp>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "image/codec_versions.h"
#include "support/jpeg_maker.h"
#include "support/png_maker.h"

namespace shardine::check_image_test {
namespace {

using namespace std::string_literals;

ImageVerdict Check(std::string_view bytes, ImageCheck level) {
  return CheckImage(AsBytes(bytes), level);
}

TEST_CASE("CheckImage finds nothing wrong with a good JPEG and a good PNG",
          "[check]") {
  for (const std::string& bytes : {MakeJpeg(), MakePng()}) {
    for (const ImageCheck level :
         {ImageCheck::kNone, ImageCheck::kHeader, ImageCheck::kDecode}) {
      const ImageVerdict verdict = Check(bytes, level);
      CHECK(verdict.good());
      CHECK(verdict.detail.empty());
      CHECK(verdict.offset == 0);
      CHECK(verdict.facts.width > 0);
    }
  }
}

TEST_CASE("CheckImage finds nothing at kNone but states the facts", "[check]") {
  std::string cut = MakeJpeg();
  cut.resize(cut.size() - 2);
  const ImageVerdict verdict = Check(cut, ImageCheck::kNone);
  CHECK(verdict.good());
  CHECK(verdict.facts.kind == ImageKind::kJpeg);
  CHECK(verdict.facts.width == 33);
  CHECK(Check("", ImageCheck::kNone).good());
  CHECK(Check("<html>", ImageCheck::kNone).facts.kind == ImageKind::kHtml);
}

TEST_CASE("CheckImage gives the header walk's words at kHeader and kDecode",
          "[check]") {
  const std::string jpeg = MakeJpeg();
  std::string flat = jpeg;
  flat[FindJpegFrame(jpeg).offset + 6] = 0;
  const std::vector<std::tuple<std::string, std::string>> cases = {
      {"", "empty"},
      {"<html>", "not-an-image"},
      {"version https://git-lfs.github.com/spec/v1\n", "not-an-image"},
      {"\xFF\x0A"s, "unsupported-kind"},
      {"GIF89a\1\0\1\0"s, "no-end-marker"},
      {flat, "bad-header"},
      {jpeg.substr(0, jpeg.size() - 2), "no-end-marker"},
      {MakePng().substr(0, 60), "no-end-marker"},
  };
  for (const auto& [bytes, reason] : cases) {
    for (const ImageCheck level : {ImageCheck::kHeader, ImageCheck::kDecode}) {
      const ImageVerdict verdict = Check(bytes, level);
      CHECK(verdict.reason == reason);
      CHECK_FALSE(verdict.detail.empty());
    }
  }
}

TEST_CASE("CheckImage calls any warning of libjpeg damage at kDecode",
          "[check][corruption]") {
  JpegSpec spec;
  spec.width = 64;
  spec.height = 64;
  spec.restart_rows = 1;
  std::string jpeg = MakeJpeg(spec);
  const auto scan = FindJpegMarker(jpeg, 0xDA);
  for (const char* marker : {"\xFF\xD0", "\xFF\xD1"}) {
    jpeg.insert(jpeg.find(marker, scan.offset + scan.size), 20, 'a');
  }
  CHECK(Check(jpeg, ImageCheck::kHeader).good());
  const ImageVerdict verdict = Check(jpeg, ImageCheck::kDecode);
  CHECK(verdict.reason == "decode-warning");
  CHECK(verdict.detail ==
        "Corrupt JPEG data: 20 extraneous bytes before marker 0xd0 (2 times)");
  CHECK(verdict.facts.width == 64);
}

TEST_CASE("CheckImage finds a hole in the pixel data only at kDecode",
          "[check][corruption]") {
  std::string jpeg = MakeJpeg();
  const auto scan = FindJpegMarker(jpeg, 0xDA);
  jpeg.erase(scan.offset + scan.size + 20, 200);
  CHECK(Check(jpeg, ImageCheck::kHeader).good());
  CHECK(Check(jpeg, ImageCheck::kDecode).reason == "decode-warning");
}

TEST_CASE("CheckImage calls what libjpeg refuses a decode-error",
          "[check][corruption]") {
  std::string jpeg = MakeJpeg();
  const auto table = FindJpegMarker(jpeg, 0xDB);
  jpeg.erase(table.offset, table.size);
  CHECK(Check(jpeg, ImageCheck::kHeader).good());
  const ImageVerdict verdict = Check(jpeg, ImageCheck::kDecode);
  CHECK(verdict.reason == "decode-error");
  CHECK(verdict.detail == "Quantization table 0x00 was not defined");
}

TEST_CASE("CheckImage gives the byte of a damaged PNG chunk",
          "[check][corruption]") {
  std::string png = MakePng();
  png[50] = static_cast<char>(png[50] ^ 1);
  CHECK(Check(png, ImageCheck::kHeader).good());
  const ImageVerdict verdict = Check(png, ImageCheck::kDecode);
  CHECK(verdict.reason == "decode-error");
  CHECK(verdict.detail == "IDAT fails its CRC-32");
  CHECK(verdict.offset == 33);
}

TEST_CASE("CheckImage calls an image beyond the limits a decode-error",
          "[check][limits]") {
  DecodeLimits limits;
  limits.max_pixels = 100;
  for (const std::string& bytes : {MakeJpeg(), MakePng()}) {
    CHECK(CheckImage(AsBytes(bytes), ImageCheck::kHeader, limits).good());
    CHECK(CheckImage(AsBytes(bytes), ImageCheck::kDecode, limits).reason ==
          "decode-error");
  }
}

TEST_CASE("CodecVersions names libjpeg-turbo with its version", "[check]") {
  const auto versions = CodecVersions();
  REQUIRE(versions.size() == 1);
  CHECK(versions[0].starts_with("libjpeg-turbo "));
  CHECK(versions[0].size() > std::string("libjpeg-turbo ").size());
  CHECK(versions[0].find("LIBJPEG") == std::string::npos);
}

}  // namespace
}  // namespace shardine::check_image_test
