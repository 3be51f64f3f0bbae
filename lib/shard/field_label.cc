#include "shard/field_label.h"

#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>

#include "base/bytes.h"
#include "base/number.h"
#include "base/shown_name.h"
#include "shard/dtype.h"
#include "shard/field_numbers.h"

namespace shardine {
namespace {

// nullopt: no label has the value.
template <typename T>
std::optional<Label> LabelOf(T value) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(value)) return std::nullopt;
    return Label::FromReal(value);
  } else {
    if constexpr (std::is_same_v<T, std::uint64_t>) {
      constexpr auto kMost = std::numeric_limits<std::int64_t>::max();
      if (value > static_cast<std::uint64_t>(kMost)) return std::nullopt;
    }
    return Label(static_cast<std::int64_t>(value));
  }
}

template <typename T>
bool StandsForNone(T value) {
  if constexpr (std::is_floating_point_v<T>) {
    return std::isnan(value);
  } else if constexpr (std::is_same_v<T, std::int64_t>) {
    return value == std::numeric_limits<std::int64_t>::min();
  } else {
    return false;
  }
}

Status NoLabel(const ScannedField& field, const std::string& why) {
  return Status(Code::kUnsupported,
                "the field " + ShowName(field.name) + " is no label: " + why);
}

}  // namespace

std::optional<Label> LabelOfText(std::string_view text) {
  if (const auto integer = ParseSigned(text)) return Label(*integer);
  if (text.find_first_not_of("-0123456789") == text.npos) return std::nullopt;
  double real = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, real);
  if (error != std::errc() || stop != end || std::isnan(real)) {
    return std::nullopt;
  }
  return Label::FromReal(real);
}

Status AppendFieldLabels(const ScannedField& field,
                         std::vector<Label>& labels) {
  Status status = NoLabel(
      field, "an array of the type " + DescribeType(field.dtype, field.shape));
  WithNumber(field.dtype, [&]<typename T>(T value) {
    const std::size_t count = field.bytes.size() / sizeof(T);
    if (count > kMostFieldLabels) {
      status = NoLabel(field, std::to_string(count) + " numbers, of at most " +
                                  std::to_string(kMostFieldLabels));
      return;
    }
    status = Status();
    for (std::size_t i = 0; i < count && status.ok(); ++i) {
      value = LoadLe<T>(&field.bytes[i * sizeof(T)]);
      if (count == 1 && StandsForNone(value)) return;
      const auto label = LabelOf(value);
      if (label) {
        labels.push_back(*label);
      } else {
        status = NoLabel(field, "a number that is NaN or beyond 64 bits");
      }
    }
  });
  return status;
}

Status TakeOneHot(std::vector<Label>& labels) {
  std::optional<std::size_t> place;
  bool is_row = labels.size() > 1;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (labels[i] == Label(0)) continue;
    is_row = is_row && !place && labels[i] == Label(1);
    place = i;
  }
  if (!is_row || !place) {
    return Status(Code::kUnsupported,
                  "a label that is no row of zeros with a single 1");
  }
  labels.assign(1, Label(static_cast<std::int64_t>(*place)));
  return {};
}

}  // namespace shardine
