#include "im2rec/list_entry.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <system_error>

#include "base/status_macros.h"
#include "im2rec/python_path.h"
#include "shardine/escape.h"

namespace shardine {

namespace {

constexpr std::string_view kWhiteSpace = " \t\v\f";

Status Bad(std::string_view what, std::string_view field,
           std::string_view why) {
  std::string message(what);
  // A file that is no list may have fields of a megabyte.
  message.append(" \"").append(EscapeBytes(field.substr(0, 80))).append("\" ");
  return {Code::kCorrupt, message.append(why)};
}

// The whole of `text` as a T; both originals take one leading plus.
template <typename T>
// std::from_chars knows no locale: a list means the same numbers on every
// machine.
std::errc ParseAll(std::string_view text, T& value) {
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc()) return error;
  return stop == end ? std::errc() : std::errc::invalid_argument;
}

// from_chars refuses numbers too small for a Real, too; both originals round it
// to zero.
template <typename Real>
std::errc ParseReal(std::string_view text, Real& value) {
  const std::errc error = ParseAll(text, value);
  if (error != std::errc::result_out_of_range) return error;
  // strtod tells numbers that are too small from those that are too large. The
  // programs keep the locale "C".
  const double wide = std::strtod(std::string(text).c_str(), nullptr);
  if (std::abs(wide) > 1) return error;
  value = static_cast<Real>(wide);
  return std::errc();
}

Status ParseId(std::string_view text, std::uint64_t& id) {
  const std::errc error = ParseAll(text, id);
  if (error == std::errc()) return {};
  return Bad("the id", text,
             error == std::errc::result_out_of_range
                 ? "is not below 2^64"
                 : "is not a decimal number without sign");
}

// Whether `text` is a whole number and `label`, which it became, is another.
bool IsRounded(std::string_view text, float label) {
  const bool has_sign = text.starts_with('-');
  std::uint64_t number = 0;
  if (ParseAll(text.substr(has_sign ? 1 : 0), number) == std::errc()) {
    const float size = std::abs(label);
    return size >= 0x1p64F || static_cast<std::uint64_t>(size) != number;
  }
  double whole = 0;
  return ParseAll(text, whole) == std::errc() && std::isfinite(whole) &&
         std::trunc(whole) == whole && whole != static_cast<double>(label);
}

// Real is the type in which the original reads the number before it becomes a
// float32: the two roundings can differ.
template <typename Real>
Status ParseLabel(std::string_view text, float& label, std::string& rounded) {
  Real value = 0;
  const std::errc error = ParseReal(text, value);
  if (error == std::errc::invalid_argument || std::isnan(value)) {
    return Bad("the label", text, "is not a number");
  }
  if (error != std::errc() ||
      (std::isfinite(value) &&
       std::abs(value) > std::numeric_limits<float>::max())) {
    return Bad("the label", text, "is out of float32's range");
  }
  label = static_cast<float>(value);
  if (rounded.empty() && IsRounded(text, label)) {
    std::array<char, 64> digits{};
    const auto end = std::to_chars(digits.begin(), digits.end(), label,
                                   std::chars_format::fixed);
    rounded = EscapeBytes(text.substr(0, 80)) + " becomes ";
    rounded.append(digits.begin(), end.ptr);
  }
  return {};
}

std::string_view TakeField(std::string_view& rest) {
  rest.remove_prefix(
      std::min(rest.find_first_not_of(kWhiteSpace), rest.size()));
  const std::size_t size =
      std::min(rest.find_first_of(kWhiteSpace), rest.size());
  const std::string_view field = rest.substr(0, size);
  rest.remove_prefix(size);
  return field;
}

std::string_view TrimPath(std::string_view path) {
  const auto is_trimmed = [](char c) {
    return (static_cast<unsigned char>(c) <= ' ') || c == '\x7f';
  };
  path.remove_prefix(
      std::min(path.find_first_not_of(kWhiteSpace), path.size()));
  while (!path.empty() && is_trimmed(path.back())) path.remove_suffix(1);
  return path;
}

Status CheckPath(std::string_view path) {
  if (path.empty()) return {Code::kCorrupt, "the line has no path"};
  if (path.find('\0') != std::string_view::npos) {
    return Bad("the path", path, "holds a zero byte");
  }
  return {};
}

}  // namespace

Result<ImageListEntry> ParseCppLine(std::string_view line,
                                    std::size_t label_width, bool pack_label) {
  ImageListEntry entry;
  std::string_view rest = line;
  SHARDINE_RETURN_IF_ERROR(ParseId(TakeField(rest), entry.id));
  for (std::size_t i = 0; i < label_width; ++i) {
    const std::string_view field = TakeField(rest);
    if (field.empty()) {
      return Status(Code::kCorrupt, "the line has " + std::to_string(i) +
                                        " labels, not " +
                                        std::to_string(label_width));
    }
    float label = 0;
    std::string ignored;
    const bool is_stored = i == 0 || pack_label;
    SHARDINE_RETURN_IF_ERROR(
        ParseLabel<float>(field, label, is_stored ? entry.rounded : ignored));
    if (i == 0) entry.label = label;
    if (pack_label) entry.packed.push_back(label);
  }
  if (!pack_label) entry.dropped = label_width - 1;
  entry.path = TrimPath(rest);
  SHARDINE_RETURN_IF_ERROR(CheckPath(entry.path));
  return entry;
}

Result<ImageListEntry> ParsePythonLine(std::string_view line, bool pack_label) {
  std::vector<std::string_view> fields;
  for (std::string_view rest = PythonStrip(line);;) {
    const std::size_t tab = rest.find('\t');
    fields.push_back(PythonStrip(rest.substr(0, tab)));
    if (tab == std::string_view::npos) break;
    rest.remove_prefix(tab + 1);
  }
  if (fields.size() < 3) {
    return Status(Code::kCorrupt,
                  "the line has " + std::to_string(fields.size()) +
                      " fields between tabs; id, label and path are needed");
  }
  ImageListEntry entry;
  SHARDINE_RETURN_IF_ERROR(ParseId(fields.front(), entry.id));
  std::vector<float> labels(fields.size() - 2);
  for (std::size_t i = 0; i < labels.size(); ++i) {
    std::string ignored;
    const bool is_stored = i == 0 || pack_label;
    SHARDINE_RETURN_IF_ERROR(ParseLabel<double>(
        fields[i + 1], labels[i], is_stored ? entry.rounded : ignored));
  }
  if (pack_label && labels.size() > 1) {
    entry.packed = std::move(labels);
  } else {
    entry.label = labels.front();
    entry.dropped = labels.size() - 1;
  }
  entry.path = fields.back();
  SHARDINE_RETURN_IF_ERROR(CheckPath(entry.path));
  return entry;
}

}  // namespace shardine
