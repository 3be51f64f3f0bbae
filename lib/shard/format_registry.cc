#include <algorithm>
#include <cmath>
#include <limits>

#include "shard/format.h"

namespace shardine {
namespace {

constexpr std::size_t kProbeBytes = 4096;

std::string NamesOf(std::span<const Format* const> formats) {
  std::string names;
  for (const Format* format : formats) {
    for (const Layout& layout : format->layouts) {
      if (!names.empty()) names += ", ";
      names += FormatAndLayout{format, &layout}.Name();
    }
  }
  return names;
}

// The nearest integer (ties to even) in [min, max], which are powers of two
// or one less, so that the comparisons in double are exact enough to keep the
// cast defined.
std::int64_t RoundToInteger(const Label& label, std::int64_t min,
                            std::int64_t max) {
  if (label.is_integer()) return std::clamp(label.integer(), min, max);
  const double value = std::nearbyint(label.real());
  if (value >= static_cast<double>(max)) return max;
  if (value <= static_cast<double>(min)) return min;
  return static_cast<std::int64_t>(value);
}

}  // namespace

Label RoundToLabelType(const Label& label, LabelType type) {
  switch (type) {
    case LabelType::kInt32:
      return RoundToInteger(label, std::numeric_limits<std::int32_t>::min(),
                            std::numeric_limits<std::int32_t>::max());
    case LabelType::kInt64:
      return RoundToInteger(label, std::numeric_limits<std::int64_t>::min(),
                            std::numeric_limits<std::int64_t>::max());
    case LabelType::kFloat32:
      // From the integer itself: by way of a double it would be rounded twice.
      return Label::FromReal(label.is_integer()
                                 ? static_cast<float>(label.integer())
                                 : static_cast<float>(label.real()));
    case LabelType::kFloat64:
      return Label::FromReal(label.real());
  }
  return label;
}

const Format* FormatRegistry::FindByName(std::string_view name) const {
  for (const Format* format : formats_) {
    if (format->name == name) return format;
  }
  return nullptr;
}

const Format* FormatRegistry::FindBySuffix(std::string_view file_name) const {
  for (const Format* format : formats_) {
    if (file_name.ends_with(format->suffix)) return format;
  }
  return nullptr;
}

Result<const Format*> FormatRegistry::Detect(
    const RandomAccessFile& file) const {
  std::byte head[kProbeBytes];
  auto read = file.ReadAt(0, head);
  if (!read.ok()) return std::move(read).status();
  const Format* by_suffix = FindBySuffix(file.path());
  const Format* by_content = nullptr;
  for (const Format* format : formats_) {
    if (!format->probe(ByteView(head).first(*read))) continue;
    if (format == by_suffix) return format;
    if (by_content == nullptr) by_content = format;
  }
  // What is empty could be anything; a damaged head is for the scanner of the
  // format that the suffix names to report.
  if (by_content != nullptr && *read > 0) return by_content;
  if (by_suffix != nullptr) return by_suffix;
  return Status(Code::kUnsupported,
                "not a file of a known format (" + NamesOf(formats_) + ")")
      .At({.path = file.path()});
}

std::string FormatAndLayout::Name() const {
  return std::string(format->name) + "/" + std::string(layout->name);
}

Result<FormatAndLayout> ParseFormat(const FormatRegistry& registry,
                                    std::string_view text) {
  const std::size_t slash = text.find('/');
  const Format* format = registry.FindByName(text.substr(0, slash));
  if (format != nullptr) {
    if (slash == std::string_view::npos) {
      return FormatAndLayout{format, &format->layouts.front()};
    }
    for (const Layout& layout : format->layouts) {
      if (layout.name == text.substr(slash + 1)) {
        return FormatAndLayout{format, &layout};
      }
    }
  }
  return Status(Code::kInvalidArgument, "format \"" + std::string(text) +
                                            "\" is none of " +
                                            NamesOf(registry.formats()));
}

}  // namespace shardine
