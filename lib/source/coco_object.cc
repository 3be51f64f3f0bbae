#include "source/coco_object.h"

#include <cmath>
#include <string_view>
#include <utility>

#include "base/number.h"
#include "shardine/escape.h"
#include "source/mask_runs.h"

namespace shardine {
namespace {

namespace dom = simdjson::dom;
using JsonValue = simdjson::simdjson_result<dom::element>;

bool IsThere(JsonValue value) {
  return value.error() == simdjson::SUCCESS && !value.is_null();
}

constexpr std::size_t kMostPoints = 1000;  // of an object

// Finite numbers alone. False: another value.
bool ReadJsonNumbers(JsonValue value, std::vector<double>& numbers) {
  dom::array list;
  if (value.get(list) != simdjson::SUCCESS) return false;
  for (const dom::element element : list) {
    double number = 0;
    if (element.get(number) != simdjson::SUCCESS || !std::isfinite(number)) {
      return false;
    }
    numbers.push_back(number);
  }
  return true;
}

std::string ReadBox(JsonValue value, std::array<double, 4>& box) {
  std::vector<double> numbers;
  if (!ReadJsonNumbers(value, numbers) || numbers.size() != 4) {
    return "a bbox that is not four numbers";
  }
  box = {numbers[0], numbers[1], numbers[0] + numbers[2],
         numbers[1] + numbers[3]};
  return BoxFault(box);
}

// A side or a run: a whole number, be it written as 5.0.
bool ReadCount(dom::element value, std::int64_t& count) {
  if (value.get(count) == simdjson::SUCCESS) return count >= 0;
  double real = 0;
  if (value.get(real) != simdjson::SUCCESS || !(real >= 0 && real < 9e15) ||
      real != std::floor(real)) {
    return false;
  }
  count = static_cast<std::int64_t>(real);
  return true;
}

std::string ReadMask(dom::object value, MaskRuns& mask) {
  dom::array size;
  std::int64_t sides[2] = {};
  if (value["size"].get(size) != simdjson::SUCCESS || size.size() != 2 ||
      !ReadCount(size.at(0).value_unsafe(), sides[0]) ||
      !ReadCount(size.at(1).value_unsafe(), sides[1])) {
    return "a mask whose size is not two numbers";
  }
  mask.height = static_cast<std::uint64_t>(sides[0]);
  mask.width = static_cast<std::uint64_t>(sides[1]);
  std::string_view text;
  dom::array list;
  if (value["counts"].get(text) == simdjson::SUCCESS) {
    auto counts = ReadRunText(text);
    if (!counts) return "a mask whose text of counts is damaged";
    mask.counts = *std::move(counts);
  } else if (value["counts"].get(list) == simdjson::SUCCESS) {
    for (const dom::element element : list) {
      if (!ReadCount(element, mask.counts.emplace_back())) {
        return "a mask whose counts are not whole numbers";
      }
    }
  } else {
    return "a mask without counts";
  }
  if (FillsMask(mask.counts, mask.height, mask.width)) return "";
  return "a mask whose counts do not sum to its size";
}

std::string ReadSegmentation(JsonValue value, AnnotatedObject& object) {
  dom::object mask;
  if (value.get(mask) == simdjson::SUCCESS) {
    return ReadMask(mask, object.mask.emplace());
  }
  dom::array list;
  if (value.get(list) != simdjson::SUCCESS) {
    return "a segmentation that is neither polygons nor a mask";
  }
  for (const dom::element element : list) {
    std::vector<double> polygon;
    if (!ReadJsonNumbers(dom::element(element), polygon) ||
        polygon.size() % 2 != 0) {
      return "a polygon that is not pairs of numbers";
    }
    if (polygon.empty()) continue;
    if (polygon.size() < 6) {
      return "a polygon of " + std::to_string(polygon.size() / 2) +
             (polygon.size() == 2 ? " point" : " points");
    }
    object.polygons.push_back(std::move(polygon));
  }
  return "";
}

std::string ReadCategory(JsonValue value, const CocoCategories& categories,
                         AnnotatedObject& object, std::uint64_t& points) {
  std::string id;
  if (!ReadCocoId(value, id)) return "an annotation without a category_id";
  const auto found = categories.find(id);
  if (found == categories.end()) {
    return "the unknown category_id " + EscapeBytes(id);
  }
  object.category = found->second.label;
  points = found->second.points;
  return "";
}

std::string ReadPoints(JsonValue value, std::uint64_t expected,
                       AnnotatedObject& object) {
  if (!ReadJsonNumbers(value, object.points)) {
    return "keypoints that are not numbers";
  }
  const std::size_t count = object.points.size();
  // Some programs name no points of categories.
  const bool is_whole = expected == 0 ? count % 3 == 0 : count == 3 * expected;
  if (count == 0 || (is_whole && count <= 3 * kMostPoints)) return "";
  return std::to_string(object.points.size()) + " numbers of keypoints, and " +
         std::to_string(expected) + " points of its category";
}

bool ReadFlag(JsonValue value, bool& flag) {
  if (!IsThere(value)) return true;
  std::int64_t number = 0;
  if (value.get(flag) == simdjson::SUCCESS) return true;
  if (value.get(number) != simdjson::SUCCESS) return false;
  flag = number == 1;
  return number == 0 || number == 1;
}

}  // namespace

bool ReadCocoId(JsonValue value, std::string& id) {
  std::int64_t number = 0;
  std::uint64_t large = 0;
  double real = 0;
  std::string_view text;
  if (value.get(number) == simdjson::SUCCESS) {
    id = std::to_string(number);
  } else if (value.get(large) == simdjson::SUCCESS) {
    id = std::to_string(large);
  } else if (value.get(real) == simdjson::SUCCESS) {
    if (real != std::floor(real) || std::abs(real) > 9e15) return false;
    id = std::to_string(static_cast<std::int64_t>(real));
  } else if (value.get(text) == simdjson::SUCCESS) {
    id = text;
  } else {
    return false;
  }
  return !id.empty();
}

std::string ReadCocoObject(dom::object value, const CocoCategories& categories,
                           ImageAnnotations& to) {
  std::string_view caption;
  if (value["caption"].get(caption) == simdjson::SUCCESS) {
    to.captions.emplace_back(caption);
    return "";
  }
  AnnotatedObject object;
  std::uint64_t points = 0;
  std::string fault =
      ReadCategory(value["category_id"], categories, object, points);
  if (fault.empty() && !IsThere(value["bbox"])) {
    fault = "an annotation with neither bbox nor caption";
  }
  if (fault.empty()) fault = ReadBox(value["bbox"], object.box);
  if (fault.empty() && !ReadFlag(value["iscrowd"], object.is_crowd)) {
    fault = "an iscrowd that is neither 0 nor 1";
  }
  if (fault.empty() && IsThere(value["segmentation"])) {
    fault = ReadSegmentation(value["segmentation"], object);
  }
  if (fault.empty() && IsThere(value["keypoints"])) {
    fault = ReadPoints(value["keypoints"], points, object);
  }
  to.objects.push_back(std::move(object));
  return fault;
}

}  // namespace shardine
