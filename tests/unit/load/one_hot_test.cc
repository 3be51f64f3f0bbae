#include "load/one_hot.h"

#include <catch2/catch.hpp>
#include <vector>

namespace shardine::one_hot_test {
namespace {

std::vector<float> Rows(const OneHot& one_hot, const std::vector<Label>& labels,
                        const std::vector<MixFactor>& mix = {}) {
  std::vector<float> rows(labels.size() * one_hot.classes, -1);
  WriteOneHot(one_hot, labels, mix, rows);
  return rows;
}

TEST_CASE("WriteOneHot makes rows of labels, smoothed as timm's are",
          "[one_hot]") {
  const std::vector<Label> labels = {2, 0};
  CHECK(Rows({3}, labels) == std::vector<float>{0, 0, 1, 1, 0, 0});
  const auto off = static_cast<float>(0.1 / 3);
  const auto on = static_cast<float>(1.0 - 0.1 + 0.1 / 3);
  CHECK(Rows({3, 0.1}, labels) == std::vector<float>{off, off, on,  //
                                                     on, off, off});
}

TEST_CASE("WriteOneHot mixes rows in torchvision's order of floats",
          "[one_hot]") {
  const std::vector<Label> labels = {2, 0, 0};
  const float w = 0.7F;
  const float rest = 1 - w;
  const std::vector<MixFactor> mix = {
      {.weight = w, .partner = 2}, {.weight = w, .partner = 0}, {.partner = 1}};
  CHECK(Rows({4}, labels, mix) == std::vector<float>{rest, 0, w, 0,  //
                                                     w, 0, rest, 0,  //
                                                     1, 0, 0, 0});
  const auto off = static_cast<float>(0.2 / 4);
  const auto on = static_cast<float>(1.0 - 0.2 + 0.2 / 4);
  const float none = off * rest + off * w;
  const std::vector<float> smooth = Rows({4, 0.2}, labels, mix);
  CHECK(smooth[0] == on * rest + off * w);
  CHECK(smooth[1] == none);
  CHECK(smooth[2] == off * rest + on * w);
  CHECK(smooth[8] == on);
  // A mix of two samples of one class.
  const std::vector<MixFactor> same = {{.weight = w, .partner = 1},
                                       {.weight = w, .partner = 0}};
  CHECK(Rows({2}, {1, 1}, same) ==
        std::vector<float>{0, rest + w, 0, rest + w});
}

TEST_CASE("CheckClass takes the numbers of classes alone", "[one_hot]") {
  const OneHot one_hot{10};
  CHECK(CheckClass(one_hot, 0).ok());
  CHECK(CheckClass(one_hot, 9).ok());
  CHECK(CheckClass(one_hot, 10).message() ==
        "has the label 10, which is none of the classes 0 to 9 of one_hot");
  CHECK_FALSE(CheckClass(one_hot, -1).ok());
  CHECK_FALSE(CheckClass(one_hot, Label::FromReal(0.5)).ok());
  CHECK(CheckClass(one_hot, Label::FromReal(3)).ok());
}

TEST_CASE("CheckOneHot says what cannot be", "[one_hot]") {
  CHECK(CheckOneHot({}).ok());
  CHECK(CheckOneHot({5, 1}).ok());
  CHECK(CheckOneHot({5, -0.1}).message() == "label_smoothing: must be 0 to 1");
  CHECK(CheckOneHot({5, 1.1}).message() == "label_smoothing: must be 0 to 1");
  CHECK(CheckOneHot({0, 0.1}).message() ==
        "label_smoothing: needs one_hot, the number of classes");
}

}  // namespace
}  // namespace shardine::one_hot_test
