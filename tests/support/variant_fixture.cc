#include "support/variant_fixture.h"

#include "support/jpeg_maker.h"
#include "support/pack_fixture.h"
#include "support/png_maker.h"

namespace shardine {
namespace {

std::string MakeImage(int number) {
  constexpr std::uint32_t kShortSides[kImages] = {40, 8,  33, 60, 24, 17,
                                                  20, 52, 12, 30, 45, 26};
  const std::uint32_t side = kShortSides[number];
  if (number == 7) return MakePng({.width = 52, .height = 57});
  JpegSpec spec;
  spec.width = number % 2 == 0 ? side : side * 3 / 2;
  spec.height = number % 2 == 0 ? side * 4 / 3 : side;
  spec.color = number == 3 ? JpegColor::kGray : JpegColor::kYcc;
  spec.progressive = number % 3 == 2;
  spec.seed = static_cast<std::uint32_t>(number) + 1;
  return MakeJpeg(spec);
}

}  // namespace

void PutImages(MemoryStorage& storage, const std::string& tree) {
  for (int number = 0; number < kImages; ++number) {
    storage.Put(tree + "/class" + std::to_string(number % 3) + "/" +
                    std::to_string(number / 3) + ".jpg",
                MakeImage(number));
  }
}

PackOptions VariantsOf(const std::string& tree, const std::string& output) {
  PackOptions options = PackOf(tree, output);
  options.check = ImageCheckLevel::kHeader;
  options.variants.short_sides = {16, 24};
  return options;
}

}  // namespace shardine
