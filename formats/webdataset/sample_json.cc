#include "webdataset/sample_json.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>

#include "base/status_macros.h"
#include "shardine/escape.h"

namespace shardine {
namespace {

constexpr std::string_view kMark = "{\"shardine\":";
constexpr std::string_view kVersion = "1,";
constexpr std::string_view kId = "\"id\":";
constexpr std::string_view kKey = "\"key\":\"";
constexpr std::string_view kLabels = "\",\"labels\":[";
constexpr std::string_view kEnd = "]}";
constexpr std::string_view kInfinity = "\"inf\"";
constexpr std::string_view kMinusInfinity = "\"-inf\"";
constexpr std::size_t kMaxJson = std::size_t{64} << 20;

bool Take(std::string_view& text, std::string_view what) {
  if (!text.starts_with(what)) return false;
  text.remove_prefix(what.size());
  return true;
}

// Takes the text before the closing quote; `\"` and `\\` are the only escapes
// that we write.
std::optional<std::string> TakeString(std::string_view& text) {
  std::string content;
  while (!text.empty() && text[0] != '"') {
    if (text[0] == '\\') {
      text.remove_prefix(1);
      if (text.empty()) return std::nullopt;
    }
    content += text[0];
    text.remove_prefix(1);
  }
  return content;
}

template <typename Number>
bool ParseAll(std::string_view text, Number& value) {
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  return error == std::errc() && stop == end;
}

std::optional<Label> ParseLabel(std::string_view text) {
  constexpr double kInf = std::numeric_limits<double>::infinity();
  if (text == kInfinity) return Label::FromReal(kInf);
  if (text == kMinusInfinity) return Label::FromReal(-kInf);
  if (std::int64_t integer = 0; ParseAll(text, integer)) return Label(integer);
  double real = 0;
  if (!ParseAll(text, real) || !std::isfinite(real)) return std::nullopt;
  return Label::FromReal(real);
}

// Does the text go on as a later version would, "2," or "2}"? All else is
// damage to one of ours.
bool IsOtherVersion(std::string_view text) {
  const std::size_t end = text.find_first_not_of("0123456789");
  return end != 0 && end != text.npos && text[0] != '0' &&
         (text[end] == ',' || text[end] == '}') && text.substr(0, end) != "1";
}

Status Malformed() {
  return Status(Code::kCorrupt,
                "the .json of the sample is not as shardine writes it");
}

// Up to the closing bracket.
Status TakeLabels(std::string_view text, std::vector<Label>& labels) {
  while (!text.empty() && text[0] != ']') {
    const std::string_view one = text.substr(0, text.find_first_of(",]"));
    const auto label = ParseLabel(one);
    if (!label) return Malformed();
    if (labels.size() == kMaxJsonLabels) {
      return Status(Code::kUnsupported, "a sample of more than 2^20 labels");
    }
    labels.push_back(*label);
    text.remove_prefix(one.size());
    if (!text.empty() && text[0] == ',') text.remove_prefix(1);
  }
  return Status();
}

}  // namespace

void AppendSampleJson(std::optional<std::uint64_t> id, std::string_view key,
                      std::span<const Label> labels, std::string& to) {
  to += kMark;
  to += kVersion;
  if (id) {
    to += kId;
    to += std::to_string(*id);
    to += ',';
  }
  to += kKey;
  // Any bytes can be a key, and JSON holds text: the key is escaped as in
  // messages first, and the result as JSON asks.
  for (const char c : EscapeBytes(key)) {
    if (c == '"' || c == '\\') to += '\\';
    to += c;
  }
  to += kLabels;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (i > 0) to += ',';
    const double real = labels[i].real();
    if (std::isinf(real)) {
      to += real > 0 ? kInfinity : kMinusInfinity;
    } else {
      to += labels[i].ToString();
    }
  }
  to += kEnd;
}

bool IsSampleJson(std::string_view text) { return text.starts_with(kMark); }

Status ParseSampleJson(std::string_view text, SampleJson& json) {
  json.id.reset();
  json.labels.clear();
  if (text.size() > kMaxJson) {
    return Status(Code::kUnsupported, "a .json of more than 64 MiB");
  }
  std::string_view rest = text;
  if (!Take(rest, kMark)) return Malformed();
  if (!Take(rest, kVersion)) {
    if (!IsOtherVersion(rest)) return Malformed();
    return Status(Code::kUnsupported,
                  "the sample was written by a newer shardine");
  }
  if (Take(rest, kId)) {
    const std::string_view digits = rest.substr(0, rest.find(','));
    if (!ParseAll(digits, json.id.emplace())) return Malformed();
    rest.remove_prefix(digits.size());
    if (!Take(rest, ",")) return Malformed();
  }
  if (!Take(rest, kKey)) return Malformed();
  const auto escaped = TakeString(rest);
  auto unescaped = escaped ? UnescapeBytes(*escaped) : std::nullopt;
  if (!unescaped || !Take(rest, kLabels)) return Malformed();
  json.key = *std::move(unescaped);
  SHARDINE_RETURN_IF_ERROR(TakeLabels(rest, json.labels));
  // The parts above take more than the writer makes, a comma too many or 1e0
  // for 1. This one comparison refuses it all.
  std::string again;
  AppendSampleJson(json.id, json.key, json.labels, again);
  return again == text ? Status() : Malformed();
}

}  // namespace shardine
