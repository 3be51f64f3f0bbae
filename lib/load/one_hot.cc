#include "load/one_hot.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

namespace shardine {
namespace {

std::size_t ClassOf(const Label& label) {
  return static_cast<std::size_t>(label.integer());
}

}  // namespace

Status CheckOneHot(const OneHot& one_hot) {
  if (!(one_hot.smoothing >= 0 && one_hot.smoothing <= 1)) {
    return Status(Code::kInvalidArgument, "label_smoothing: must be 0 to 1");
  }
  if (one_hot.smoothing > 0 && one_hot.classes == 0) {
    return Status(Code::kInvalidArgument,
                  "label_smoothing: needs one_hot, the number of classes");
  }
  return {};
}

Status CheckClass(const OneHot& one_hot, const Label& label) {
  if (label.is_integer() && label.integer() >= 0 &&
      label.integer() < std::int64_t{one_hot.classes}) {
    return {};
  }
  return Status(Code::kUnsupported, "has the label " + label.ToString() +
                                        ", which is none of the classes 0 to " +
                                        std::to_string(one_hot.classes - 1) +
                                        " of one_hot");
}

void WriteOneHot(const OneHot& one_hot, std::span<const Label> labels,
                 std::span<const MixFactor> mix, std::span<float> rows) {
  const double share = one_hot.smoothing / one_hot.classes;
  const auto off = static_cast<float>(share);
  const auto on = static_cast<float>(1 - one_hot.smoothing + share);
  const std::size_t classes = one_hot.classes;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const std::span<float> row = rows.subspan(i * classes, classes);
    const std::size_t own = ClassOf(labels[i]);
    if (mix.empty() || mix[i].weight == 1) {
      std::ranges::fill(row, off);
      row[own] = on;
      continue;
    }
    const float weight = mix[i].weight;
    const float rest = 1 - weight;
    const std::size_t other = ClassOf(labels[mix[i].partner]);
    std::ranges::fill(row, off * rest + off * weight);
    row[other] = on * rest + (other == own ? on : off) * weight;
    row[own] = (other == own ? on : off) * rest + on * weight;
  }
}

}  // namespace shardine
