// The pictures in testdata/photos are as its README says.
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>

#include "image/check_image.h"

namespace shardine::sample_tree_test {
namespace {

namespace fs = std::filesystem;

std::string Load(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

ImageFacts FactsOf(const std::string& name) {
  const std::string bytes = Load(fs::path(SHARDINE_TESTDATA "/photos") / name);
  return CheckImage(AsBytes(bytes), ImageCheck::kNone).facts;
}

TEST_CASE("CheckImage finds nothing wrong with any picture of the sample tree",
          "[check][testdata]") {
  std::map<std::string, int> pictures;
  for (const auto& entry :
       fs::recursive_directory_iterator(SHARDINE_TESTDATA "/photos")) {
    if (!entry.is_regular_file()) continue;
    const std::string bytes = Load(entry.path());
    const ImageVerdict verdict =
        CheckImage(AsBytes(bytes), ImageCheck::kDecode);
    CAPTURE(entry.path().filename().string(), verdict.detail);
    CHECK(verdict.good());
    ++pictures[entry.path().parent_path().filename().string()];
  }
  CHECK(pictures == std::map<std::string, int>{{"hounds", 6},
                                               {"snakes_and_spiders", 6},
                                               {"terriers", 6},
                                               {"things", 6}});
}

TEST_CASE("CheckImage sees the special cases of the sample tree",
          "[check][testdata]") {
  CHECK(FactsOf("hounds/made_gray.jpg").components == 1);
  CHECK(FactsOf("snakes_and_spiders/made_gradient.png").kind ==
        ImageKind::kPng);
  const ImageFacts rotated = FactsOf("terriers/made_rotated.jpg");
  CHECK(rotated.orientation == 6);
  CHECK(rotated.width == 200);
  CHECK(rotated.height == 320);
  CHECK(FactsOf("things/made_progressive.jpg").coding ==
        ImageCoding::kProgressive);
}

}  // namespace
}  // namespace shardine::sample_tree_test
