#include "load/plane_moves.h"

#include <algorithm>
#include <array>

namespace shardine {
namespace {

using StepKind = DrawnStep::Kind;

struct Sides {
  double width;
  double height;
};

Sides SidesOf(PixelSize size) {
  return {static_cast<double>(size.width), static_cast<double>(size.height)};
}

// To where a matrix takes pixels from the middle of an image: its inverse.
class ForwardMap {
 public:
  ForwardMap(const AffineMatrix& m, Sides image)
      : m_(m),
        determinant_(m[0] * m[4] - m[1] * m[3]),
        x_(image.width / 2),
        y_(image.height / 2) {}

  void operator()(double& x, double& y) const {
    const double across = x - x_ - m_[2];
    const double down = y - y_ - m_[5];
    x = (m_[4] * across - m_[1] * down) / determinant_ + x_;
    y = (m_[0] * down - m_[3] * across) / determinant_ + y_;
  }

 private:
  AffineMatrix m_;
  double determinant_;
  double x_;
  double y_;
};

// Moves boxes and points by each step.
struct BoxMover {
  MovedBox& box;

  void Move(double x, double y) const {
    box.x0 += x;
    box.x1 += x;
    box.y0 += y;
    box.y1 += y;
  }
  void Scale(double x, double y) const {
    box.x0 *= x;
    box.x1 *= x;
    box.y0 *= y;
    box.y1 *= y;
  }
  void FlipAcross(double width) const {
    box.x0 = width - box.x0;
    box.x1 = width - box.x1;
    std::swap(box.x0, box.x1);
  }
  void FlipDown(double height) const {
    box.y0 = height - box.y0;
    box.y1 = height - box.y1;
    std::swap(box.y0, box.y1);
  }
  void Map(const ForwardMap& map) const {
    std::array<double, 4> x = {box.x0, box.x1, box.x1, box.x0};
    std::array<double, 4> y = {box.y0, box.y0, box.y1, box.y1};
    for (std::size_t i = 0; i < x.size(); ++i) map(x[i], y[i]);
    box.x0 = *std::ranges::min_element(x);
    box.x1 = *std::ranges::max_element(x);
    box.y0 = *std::ranges::min_element(y);
    box.y1 = *std::ranges::max_element(y);
  }
  void Clip(Sides image) const {
    const double before = Area();
    box.x0 = std::clamp(box.x0, 0.0, image.width);
    box.x1 = std::clamp(box.x1, 0.0, image.width);
    box.y0 = std::clamp(box.y0, 0.0, image.height);
    box.y1 = std::clamp(box.y1, 0.0, image.height);
    box.visible *= before > 0 ? Area() / before : 0;
  }
  double Area() const { return (box.x1 - box.x0) * (box.y1 - box.y0); }
};

struct PointMover {
  MovedPoint& point;

  void Move(double x, double y) const {
    point.x += x;
    point.y += y;
  }
  void Scale(double x, double y) const {
    point.x *= x;
    point.y *= y;
  }
  void FlipAcross(double width) const { point.x = width - point.x; }
  void FlipDown(double height) const { point.y = height - point.y; }
  void Map(const ForwardMap& map) const { map(point.x, point.y); }
  void Clip(Sides image) const {
    const auto within = [](double at, double side) {
      return at >= 0 && at <= side;
    };
    point.inside &= within(point.x, image.width);
    point.inside &= within(point.y, image.height);
  }
};

template <typename Mover>
void MoveOne(const DrawnGeometry& drawn, const Mover& mover) {
  const CropPlan& crop = drawn.crop;
  const Sides box = SidesOf({crop.box.width, crop.box.height});
  const Sides resized = SidesOf(crop.resized);
  const Sides view = SidesOf(crop.size);
  mover.Move(-static_cast<double>(crop.box.x),
             -static_cast<double>(crop.box.y));
  mover.Clip(box);
  mover.Scale(resized.width / box.width, resized.height / box.height);
  if (crop.flip) mover.FlipAcross(resized.width);
  mover.Move(-static_cast<double>(crop.x), -static_cast<double>(crop.y));
  mover.Clip(view);
  for (const DrawnStep& step : drawn.steps) {
    if (step.kind == StepKind::kFlipAcross) mover.FlipAcross(view.width);
    if (step.kind == StepKind::kFlipDown) mover.FlipDown(view.height);
    if (step.kind != StepKind::kAffine) continue;
    mover.Map(ForwardMap(step.matrix, view));
    mover.Clip(view);
  }
}

}  // namespace

void MoveBoxes(const DrawnGeometry& drawn, std::vector<MovedBox>& boxes) {
  for (MovedBox& box : boxes) MoveOne(drawn, BoxMover{box});
}

void MovePoints(const DrawnGeometry& drawn, std::vector<MovedPoint>& points) {
  for (MovedPoint& point : points) MoveOne(drawn, PointMover{point});
}

}  // namespace shardine
