#include "source/name_order.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

namespace shardine::name_order_test {
namespace {

using Names = std::vector<std::string>;

// sorted(names, key=os.fsdecode) of CPython 3.11.
const Names kPythonOrder = {"",
                            " x.jpg",
                            "1.JPG",
                            "10.jpg",
                            "2.jpg",
                            "B",
                            "a",
                            "a-b",
                            "a.png",
                            "b",
                            "new\nline.jpg",
                            "quo\"te.jpg",
                            "\xc3\xa9",
                            "\xe2\x82\xac.jpg",
                            "\xe2\x82",
                            "\xe2\x82.jpg",
                            "\xe2\x82z.jpg",
                            "\xed\xa0\x80",
                            "\xff",
                            "\xee\x80\x80",
                            "\xf0\x9f\x90\xb1"};

TEST_CASE("NameLess sorts names as Python does, whatever their bytes",
          "[name_order]") {
  Names names = kPythonOrder;
  std::reverse(names.begin(), names.end());
  std::sort(names.begin(), names.end(), NameOrder());
  CHECK(names == kPythonOrder);
}

TEST_CASE("NameLess is a strict order of all pairs", "[name_order]") {
  for (std::size_t i = 0; i < kPythonOrder.size(); ++i) {
    for (std::size_t j = 0; j < kPythonOrder.size(); ++j) {
      INFO(i << " " << j);
      CHECK(NameLess(kPythonOrder[i], kPythonOrder[j]) == (i < j));
    }
  }
}

TEST_CASE("NameLess takes overlong and too large sequences byte by byte",
          "[name_order]") {
  // Python orders in this way: each of these bytes is U+DC80..U+DCFF, below
  // U+E000.
  const std::string private_use = "\xee\x80\x80";
  for (const char* invalid :
       {"\xc0\x80", "\xe0\x80\x80", "\xf0\x80\x80\x80", "\xf4\x90\x80\x80",
        "\xf5\x80\x80\x80", "\x80", "\xed\xbf\xbf"}) {
    INFO(invalid);
    CHECK(NameLess(invalid, private_use));
    CHECK(NameLess("\xed\x9f\xbf", invalid));
  }
  CHECK(NameLess("\x80", "\x81"));
}

TEST_CASE("WalkLess sorts by class, whole directory, then file name",
          "[name_order]") {
  // The order in which ImageFolder of torchvision lists these files.
  const Names expected = {
      "loose.jpg",      "B/x.ppm",           "a/ x.jpg",       "a/quo\"te.jpg",
      "a/x.jpg",        "a/d.jpg/inner.png", "a-b/x.jpeg",     "b/1.JPG",
      "b/10.jpg",       "b/2.jpg",           "b/sub/a.png",    "b/sub-2/a.png",
      "b/sub.d/q.webp", "b/sub/deep/z.tiff", "\xc3\xa9/x.jpg", "\xe2\x82/x.jpg",
      "\xff/x.jpg",     "\xee\x80\x80/x.jpg"};
  Names keys = expected;
  std::sort(keys.begin(), keys.end());
  REQUIRE(keys != expected);
  std::sort(keys.begin(), keys.end(), WalkLess);
  CHECK(keys == expected);
}

}  // namespace
}  // namespace shardine::name_order_test
