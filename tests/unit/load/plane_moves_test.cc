// Boxes, points and numbers that follow an image.
#include "load/plane_moves.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "load/affine_matrix.h"
#include "shard/field_numbers.h"

namespace shardine::plane_moves_test {
namespace {

using Kind = DrawnStep::Kind;

// The middle 20 x 10 of an image, twice as large.
DrawnGeometry Enlarged() {
  DrawnGeometry drawn{.image = {40, 30}, .crop = {}, .steps = {}};
  drawn.crop.box = {10, 10, 20, 10};
  drawn.crop.resized = {40, 20};
  drawn.crop.size = {40, 20};
  return drawn;
}

MovedBox Moved(const DrawnGeometry& drawn, MovedBox box) {
  std::vector<MovedBox> boxes = {box};
  MoveBoxes(drawn, boxes);
  return boxes[0];
}

void CheckBox(const MovedBox& box, double x0, double y0, double x1, double y1,
              double visible) {
  CHECK(box.x0 == Approx(x0).margin(1e-12));
  CHECK(box.y0 == Approx(y0).margin(1e-12));
  CHECK(box.x1 == Approx(x1).margin(1e-12));
  CHECK(box.y1 == Approx(y1).margin(1e-12));
  CHECK(box.visible == Approx(visible));
}

TEST_CASE("A box is cut, enlarged, flipped and clipped", "[plane_moves]") {
  DrawnGeometry drawn = Enlarged();
  const MovedBox box{5, 12, 15, 16};
  CheckBox(Moved(drawn, box), 0, 4, 10, 12, 0.5);
  drawn.crop.flip = true;
  CheckBox(Moved(drawn, box), 30, 4, 40, 12, 0.5);
  drawn.steps = {{.operation = 0, .kind = Kind::kFlipDown}};
  CheckBox(Moved(drawn, box), 30, 8, 40, 16, 0.5);
  CHECK(Moved(drawn, {0, 0, 10, 30}).empty());
  CHECK(Moved(drawn, {11, 11, 11, 12}).visible == 0);
}

TEST_CASE("A box with a border before it is moved by that", "[plane_moves]") {
  DrawnGeometry drawn{.image = {8, 8}, .crop = {}, .steps = {}};
  drawn.crop.box = {0, 2, 6, 6};
  drawn.crop.resized = {6, 6};
  drawn.crop.x = -4;
  drawn.crop.size = {10, 6};
  CheckBox(Moved(drawn, {1, 3, 3, 4}), 5, 1, 7, 2, 1);
}

TEST_CASE("Turned by 90 degrees a box is a box again", "[plane_moves]") {
  DrawnGeometry drawn{.image = {20, 20}, .crop = {}, .steps = {}};
  drawn.crop.box = {0, 0, 20, 20};
  drawn.crop.resized = drawn.crop.size = {20, 20};
  drawn.steps = {{.operation = 0,
                  .kind = Kind::kAffine,
                  .matrix = InverseAffineMatrix({.angle = 90})}};
  // Clockwise: the top goes to the right.
  CheckBox(Moved(drawn, {2, 1, 6, 3}), 17, 2, 19, 6, 1);
  drawn.steps[0].matrix = InverseAffineMatrix({.angle = 45});
  const double middle = 10;
  const double half = std::sqrt(2.0);
  CheckBox(Moved(drawn, {9, 9, 11, 11}), middle - half, middle - half,
           middle + half, middle + half, 1);
}

TEST_CASE("A point that left the image does not come back", "[plane_moves]") {
  DrawnGeometry drawn = Enlarged();
  const auto shift = [](double x) {
    return DrawnStep{.operation = 0,
                     .kind = Kind::kAffine,
                     .matrix = InverseAffineMatrix({.translation = {x, 0}})};
  };
  drawn.steps = {shift(5), shift(-5)};
  std::vector<MovedPoint> points = {{10, 10}, {27.5, 15}, {28, 15}, {9, 15}};
  MovePoints(drawn, points);
  CHECK(points[0].inside);
  CHECK(points[0].x == Approx(0).margin(1e-12));
  CHECK(points[1].inside);
  CHECK(points[1].x == Approx(35));
  CHECK(points[1].y == Approx(10));
  CHECK_FALSE(points[2].inside);
  CHECK_FALSE(points[3].inside);
}

TEST_CASE("Numbers are read of each type and written where it has them",
          "[plane_moves]") {
  for (const char* const dtype : {"|b1", "|i1", "|u1", "<i2", "<u2", "<i4",
                                  "<u4", "<i8", "<u8", "<f4", "<f8"}) {
    CAPTURE(dtype);
    CHECK(AreNumbers(dtype));
    for (const double number : {0.0, 1.0, -1.0, 0.5, 255.0, 256.0, -32'769.0,
                                0x1p63, -0x1p63, 0x1p64, 1e300}) {
      const auto element = ElementOf(dtype, number);
      std::vector<double> read = {7};
      AppendNumbers(dtype, element, read);
      if (!element.empty()) CHECK(read == std::vector<double>{7, number});
    }
  }
  CHECK(ElementOf("|u1", 255).size() == 1);
  CHECK(ElementOf("|u1", 256).empty());
  CHECK(ElementOf("|u1", -1).empty());
  CHECK(ElementOf("|b1", 2).empty());
  CHECK(ElementOf("<i8", 0x1p63).empty());
  CHECK(ElementOf("<i8", -0x1p63).size() == 8);
  CHECK(ElementOf("<f4", 1e300).empty());
  CHECK(ElementOf("<i4", 0.5).empty());
  CHECK_FALSE(AreNumbers("|S"));
  CHECK_FALSE(AreNumbers("<U4"));
}

}  // namespace
}  // namespace shardine::plane_moves_test
