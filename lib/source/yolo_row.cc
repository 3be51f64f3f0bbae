#include "source/yolo_row.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "base/number.h"
#include "shardine/escape.h"

namespace shardine {
namespace {

constexpr std::size_t kMaxNumbers = 1'000'000;  // of a line

struct Point {
  double x = 0;
  double y = 0;
};

// A point of the turned image, of 0 to 1, in pixels of the stored one.
Point ToStored(Point turned, const YoloImage& image) {
  const double w = image.width;
  const double h = image.height;
  const bool is_turned = image.orientation >= 5 && image.orientation <= 8;
  const double x = turned.x * (is_turned ? h : w);
  const double y = turned.y * (is_turned ? w : h);
  switch (image.orientation) {
    case 2:
      return {w - x, y};
    case 3:
      return {w - x, h - y};
    case 4:
      return {x, h - y};
    case 5:
      return {y, x};
    case 6:
      return {y, h - x};
    case 7:
      return {w - y, h - x};
    case 8:
      return {w - y, x};
    default:
      return {x, y};
  }
}

// The reverse, cut off at the edge.
Point ToTurned(Point stored, const YoloImage& image) {
  const double w = image.width;
  const double h = image.height;
  const double x = std::clamp(stored.x, 0.0, w) / w;
  const double y = std::clamp(stored.y, 0.0, h) / h;
  switch (image.orientation) {
    case 2:
      return {1 - x, y};
    case 3:
      return {1 - x, 1 - y};
    case 4:
      return {x, 1 - y};
    case 5:
      return {y, x};
    case 6:
      return {1 - y, x};
    case 7:
      return {1 - y, 1 - x};
    case 8:
      return {y, 1 - x};
    default:
      return {x, y};
  }
}

std::array<double, 4> Bounds(const std::vector<double>& points) {
  std::array<double, 4> box = {points[0], points[1], points[0], points[1]};
  for (std::size_t i = 2; i < points.size(); i += 2) {
    box[0] = std::min(box[0], points[i]);
    box[1] = std::min(box[1], points[i + 1]);
    box[2] = std::max(box[2], points[i]);
    box[3] = std::max(box[3], points[i + 1]);
  }
  return box;
}

// False: some text is no finite number.
bool ReadRowNumbers(std::string_view line, std::vector<double>& numbers) {
  for (std::size_t at = 0; numbers.size() < kMaxNumbers;) {
    at = line.find_first_not_of(" \t\r", at);
    if (at == line.npos) return true;
    const std::size_t end =
        std::min(line.find_first_of(" \t\r", at), line.size());
    const auto number = ParseFinite(line.substr(at, end - at));
    if (!number) return false;
    numbers.push_back(*number);
    at = end;
  }
  return false;
}

void SetBox(const std::vector<double>& numbers, const YoloImage& image,
            AnnotatedObject& object) {
  const double x = numbers[1];
  const double y = numbers[2];
  const double half_width = numbers[3] / 2;
  const double half_height = numbers[4] / 2;
  const Point first = ToStored({x - half_width, y - half_height}, image);
  const Point last = ToStored({x + half_width, y + half_height}, image);
  object.box = Bounds({first.x, first.y, last.x, last.y});
}

void SetPolygon(const std::vector<double>& numbers, const YoloImage& image,
                AnnotatedObject& object) {
  std::vector<double> polygon;
  for (std::size_t i = 1; i < numbers.size(); i += 2) {
    const Point point = ToStored({numbers[i], numbers[i + 1]}, image);
    polygon.insert(polygon.end(), {point.x, point.y});
  }
  object.box = Bounds(polygon);
  object.polygons.push_back(std::move(polygon));
}

void SetPoints(const std::vector<double>& numbers, const YoloYaml& yaml,
               const YoloImage& image, AnnotatedObject& object) {
  for (std::size_t i = 5; i < numbers.size(); i += yaml.point_numbers) {
    const bool has_visibility = yaml.point_numbers == 3;
    const double visible = has_visibility ? numbers[i + 2] : 2;
    // A point at 0, 0 stands for none.
    const bool is_there = visible > 0 && (has_visibility || numbers[i] != 0 ||
                                          numbers[i + 1] != 0);
    const Point point = ToStored({numbers[i], numbers[i + 1]}, image);
    object.points.insert(object.points.end(),
                         {is_there ? point.x : 0, is_there ? point.y : 0,
                          is_there ? visible : 0});
  }
}

// Whether all positions are in the image; those of 1.01 are rounding.
std::string RangeFault(const std::vector<double>& numbers, const YoloYaml& yaml,
                       bool has_points) {
  for (std::size_t i = 1; i < numbers.size(); ++i) {
    const bool is_visibility =
        has_points && i > 5 && yaml.point_numbers == 3 && (i - 5) % 3 == 2;
    if (is_visibility || (numbers[i] >= 0 && numbers[i] <= 1.01)) continue;
    return "a position or size beyond 0 to 1: " + NumberText(numbers[i]);
  }
  return "";
}

void AppendPoint(Point point, std::string& row) {
  row += " " + NumberText(point.x) + " " + NumberText(point.y);
}

}  // namespace

std::string WriteYoloRow(const AnnotatedObject& object, const YoloImage& image,
                         YoloRows rows) {
  const auto& box = object.box;
  const Point first = ToTurned({box[0], box[1]}, image);
  const Point last = ToTurned({box[2], box[3]}, image);
  const double width = std::abs(last.x - first.x);
  const double height = std::abs(last.y - first.y);
  if (width <= 0 || height <= 0) return "";
  std::string row = std::to_string(object.category);
  if (rows == YoloRows::kPolygons) {
    std::vector<double> corners = {box[0], box[1], box[2], box[1],
                                   box[2], box[3], box[0], box[3]};
    const std::vector<double>& polygon =
        object.polygons.empty() ? corners : object.polygons.front();
    for (std::size_t i = 0; i + 1 < polygon.size(); i += 2) {
      AppendPoint(ToTurned({polygon[i], polygon[i + 1]}, image), row);
    }
    return row;
  }
  AppendPoint({(first.x + last.x) / 2, (first.y + last.y) / 2}, row);
  AppendPoint({width, height}, row);
  if (rows == YoloRows::kBoxes) return row;
  for (std::size_t i = 0; i + 2 < object.points.size(); i += 3) {
    const bool is_there = object.points[i + 2] > 0;
    AppendPoint(is_there
                    ? ToTurned({object.points[i], object.points[i + 1]}, image)
                    : Point(),
                row);
    row += " " + NumberText(object.points[i + 2]);
  }
  return row;
}

std::string ReadYoloRow(std::string_view line, const YoloYaml& yaml,
                        const YoloImage& image, AnnotatedObject& object) {
  std::vector<double> numbers;
  if (!ReadRowNumbers(line, numbers)) {
    return "a value that is no number";
  }
  const std::size_t count = numbers.size();
  const bool has_points =
      yaml.points > 0 && count == 5 + yaml.points * yaml.point_numbers;
  const bool is_polygon = !has_points && count >= 7 && count % 2 == 1;
  if (count != 5 && !has_points && !is_polygon) {
    return std::to_string(count) +
           " numbers, which are neither a box nor a polygon";
  }
  if (numbers[0] < 0 || numbers[0] != std::floor(numbers[0]) ||
      numbers[0] >= static_cast<double>(yaml.names.size())) {
    return "the unknown class " + NumberText(numbers[0]);
  }
  object.category = std::llround(numbers[0]);
  std::string fault = RangeFault(numbers, yaml, has_points);
  if (!fault.empty()) return fault;
  if (image.width == 0 || image.height == 0) {
    return "labels of an image whose size is not known";
  }
  if (is_polygon) {
    SetPolygon(numbers, image, object);
  } else {
    SetBox(numbers, image, object);
  }
  if (has_points) SetPoints(numbers, yaml, image, object);
  return BoxFault(object.box);
}

}  // namespace shardine
