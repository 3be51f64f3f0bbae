// Bytes that are taken for an image by the first of them, and bytes too few for
// it.
#include "lmdb/bare_image.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

namespace shardine::bare_image_test {
namespace {

// A BMP of so many bytes that says `said` of itself.
std::string Bmp(std::size_t size, char said) {
  std::string value = "BM";
  value += said;
  value.resize(size, '\0');
  return value;
}

TEST_CASE("Images are known by their first bytes, whole or cut off",
          "[lmdb][images]") {
  const std::vector<std::string> images = {
      "\xff\xd8\xff",
      "\x89PNG\r\n\x1a\n",
      "GIF8",
      std::string("II*\0", 4),
      std::string("MM\0*", 4),
      "RIFF....WEBP",
      Bmp(26, 26),
  };
  for (const std::string& image : images) {
    INFO(image);
    CHECK(IsBareImage(AsBytes(image)));
    // One byte less is no image, and nothing is read behind the end of any
    // part.
    for (std::size_t size = 0; size < image.size(); ++size) {
      CHECK_FALSE(IsBareImage(AsBytes(image.substr(0, size))));
    }
  }
  CHECK_FALSE(IsBareImage(AsBytes(std::string("RIFF....WAVE"))));
  CHECK_FALSE(IsBareImage(AsBytes(Bmp(26, 27))));
}

TEST_CASE("Only an array of bytes of one dimension may be an image",
          "[lmdb][images]") {
  const std::string jpeg = "\xff\xd8\xff rest";
  DecodedField field;
  field.bytes = AsBytes(jpeg);
  field.dtype = "|u1";
  field.shape = {jpeg.size()};
  CHECK(IsImageInArray(field));
  TakeImageOutOfArray(field);
  CHECK(field.dtype == kBytesDtype);
  CHECK(field.shape.empty());
  field.dtype = "|u1";
  field.shape = {2, 4};
  CHECK_FALSE(IsImageInArray(field));
  TakeImageOutOfArray(field);
  CHECK(field.shape.size() == 2);
  field.dtype = "|i1";
  field.shape = {jpeg.size()};
  CHECK_FALSE(IsImageInArray(field));
}

}  // namespace
}  // namespace shardine::bare_image_test
