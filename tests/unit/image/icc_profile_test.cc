#include "image/icc_profile.h"

#include <catch2/catch.hpp>
#include <string>
#include <string_view>

#include "base/deflate.h"
#include "support/jpeg_maker.h"
#include "support/png_maker.h"

namespace shardine::icc_profile_test {
namespace {

using namespace std::string_literals;

std::string Piece(int number, int count, std::string_view data) {
  std::string payload = "ICC_PROFILE\0"s;
  payload += static_cast<char>(number);
  payload += static_cast<char>(count);
  return JpegSegment(0xE2, payload.append(data));
}

std::string ProfileOf(std::string_view image) {
  return std::string(AsText(ReadIccProfile(AsBytes(image)).view()));
}

std::string InJpeg(std::string_view segments) {
  return ProfileOf(InsertAfterSoi(MakeJpeg(), segments));
}

std::string InPng(std::string_view iccp) {
  const std::string png = MakePng();
  return ProfileOf(std::string(png).insert(33, MakePngChunk("iCCP", iccp)));
}

TEST_CASE("ReadIccProfile joins the pieces by their numbers", "[icc]") {
  CHECK(InJpeg(Piece(1, 1, "whole")) == "whole");
  CHECK(InJpeg(Piece(2, 3, "b") + ExifSegment(6, true) + Piece(3, 3, "c") +
               Piece(1, 3, "a")) == "abc");
}

TEST_CASE("ReadIccProfile gives nothing of a profile that is not whole",
          "[icc][corruption]") {
  CHECK(InJpeg("").empty());
  CHECK(InJpeg(Piece(1, 2, "a")).empty());
  CHECK(InJpeg(Piece(0, 1, "a")).empty());
  CHECK(InJpeg(Piece(2, 1, "a")).empty());
  CHECK(InJpeg(Piece(1, 2, "a") + Piece(1, 2, "b")).empty());
  CHECK(InJpeg(Piece(1, 2, "a") + Piece(2, 3, "b")).empty());
  CHECK(InJpeg(Piece(1, 1, "a") + Piece(1, 1, "b")).empty());
  CHECK(InJpeg(JpegSegment(0xE2, "ICC_PROFILE")).empty());
}

TEST_CASE("ReadIccProfile never reads beyond a cut image",
          "[icc][corruption]") {
  const std::string jpeg = InsertAfterSoi(MakeJpeg(), Piece(1, 1, "whole"));
  for (std::size_t size = 0; size < jpeg.size(); ++size) {
    const std::string got = ProfileOf(jpeg.substr(0, size));
    CHECK((got.empty() || got == "whole"));
  }
}

TEST_CASE("ReadIccProfile inflates the profile of a PNG", "[icc][png]") {
  const std::string stream = ZlibCompress(AsBytes("the profile"));
  CHECK(InPng("name\0\0"s + stream) == "the profile");
  CHECK(InPng("name\0\0"s + stream.substr(0, stream.size() - 1)).empty());
  CHECK(InPng("name\0\0"s + "no zlib").empty());
  CHECK(InPng("name").empty());
  CHECK(InPng("name\0"s).empty());
  CHECK(ProfileOf(MakePng()).empty());
}

TEST_CASE("ReadIccProfile leaves a profile of too many bytes",
          "[icc][png][limits]") {
  const std::string largest(kMaxIccProfile, 'x');
  const auto iccp = [](std::string_view profile) {
    return "n\0\0"s + ZlibCompress(AsBytes(profile), 1);
  };
  CHECK(InPng(iccp(largest)).size() == kMaxIccProfile);
  CHECK(InPng(iccp(largest + "x")).empty());
}

TEST_CASE("ReadIccProfile finds none in what is no image", "[icc]") {
  CHECK(ProfileOf("").empty());
  CHECK(ProfileOf("\xFF\xD8\xFF").empty());
  CHECK(ProfileOf("GIF89a").empty());
}

TEST_CASE("IccProfileFits compares the colors with the channels", "[icc]") {
  std::string icc(128, '\0');
  icc.replace(16, 4, "RGB ");
  CHECK(IccProfileFits(AsBytes(icc), 3));
  CHECK_FALSE(IccProfileFits(AsBytes(icc), 1));
  CHECK_FALSE(IccProfileFits(AsBytes(icc.substr(0, 127)), 3));
  icc.replace(16, 4, "GRAY");
  CHECK(IccProfileFits(AsBytes(icc), 1));
  CHECK_FALSE(IccProfileFits(AsBytes(icc), 3));
  CHECK_FALSE(IccProfileFits({}, 3));
}

}  // namespace
}  // namespace shardine::icc_profile_test
