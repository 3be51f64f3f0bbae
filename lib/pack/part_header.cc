#include "pack/part_header.h"

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "base/json_tree.h"
#include "shardine/escape.h"
#include "shardine/pack_words.h"

namespace shardine {
namespace {

using nlohmann::json;

constexpr std::size_t kShownInFull = 100;  // bytes of a difference

json ClassesText(const DatasetWriterOptions& options) {
  json classes = json::array();
  for (const NewClass& entry : options.classes) {
    classes.push_back(
        {EscapeBytes(entry.name), entry.label, EscapeBytes(entry.text)});
  }
  return classes;
}

// The options that all parts share.
json CommonOf(const DatasetWriterOptions& options) {
  return {{"check", WordOf(options.check)},
          {"classes", ClassesText(options)},
          {"entry_points", WordOf(options.entry_points)},
          {"format", EscapeBytes(options.format)},
          {"on_bad", WordOf(options.on_bad)},
          {"shard_bytes", options.shard_bytes},
          {"shard_samples", options.shard_samples}};
}

// Throws the exceptions of json.
std::optional<DatasetWriterOptions> Parse(const json& text) {
  const auto check =
      EnumOf<ImageCheckLevel>(text.at("check").get<std::string>());
  const auto points =
      EnumOf<EntryPoints>(text.at("entry_points").get<std::string>());
  // Absent in parts that no bad image may be in.
  const auto on_bad =
      EnumOf<OnBad>(text.value("on_bad", std::string(WordOf(OnBad::kFail))));
  const auto format = UnescapeBytes(text.at("format").get<std::string>());
  if (!check || !points || !on_bad || !format) return std::nullopt;
  DatasetWriterOptions options{
      .output = {},
      .format = *format,
      .shard_bytes = text.at("shard_bytes").get<std::uint64_t>(),
      .shard_samples = text.at("shard_samples").get<std::uint64_t>(),
      .check = *check,
      .on_bad = *on_bad,
      .entry_points = *points,
      .part = text.at("part").get<std::uint32_t>(),
      .parts = text.at("parts").get<std::uint32_t>()};
  for (const json& row : text.at("classes")) {
    auto name = UnescapeBytes(row.at(0).get<std::string>());
    auto words = UnescapeBytes(row.at(2).get<std::string>());
    if (!name || !words) return std::nullopt;
    options.classes.push_back(
        {std::move(*name), row.at(1).get<std::int64_t>(), std::move(*words)});
  }
  return options;
}

std::string Shown(const json& value) {
  const std::string text = value.dump();
  if (text.size() <= kShownInFull) return text;
  if (value.is_array()) return std::to_string(value.size()) + " of them";
  return text.substr(0, kShownInFull) + "...";
}

}  // namespace

std::string PartHeaderText(const DatasetWriterOptions& options) {
  json text = CommonOf(options);
  if (options.on_bad == OnBad::kFail) text.erase("on_bad");
  text["part"] = options.part;
  text["parts"] = options.parts;
  return text.dump();
}

Result<DatasetWriterOptions> ParsePartHeader(std::string_view text) {
  const Status corrupt(Code::kCorrupt, "the options of a part are damaged");
  if (!JsonTreeFits(text)) return corrupt;
  const json parsed = json::parse(text, nullptr, false);
  if (!parsed.is_object()) return corrupt;
  try {
    auto options = Parse(parsed);
    // Numbers of another kind and members of other names were passed over: a
    // text with such was not written by a part's writer.
    if (!options || PartHeaderText(*options) != text) return corrupt;
    return *std::move(options);
  } catch (const json::exception&) {
    return corrupt;
  }
}

std::string PartDifference(const DatasetWriterOptions& part,
                           const DatasetWriterOptions& other) {
  const json ours = CommonOf(part);
  const json theirs = CommonOf(other);
  for (const auto& [name, value] : ours.items()) {
    const json& expected = theirs.at(name);
    if (value == expected) continue;
    const std::string shown = Shown(value);
    const std::string instead = Shown(expected);
    std::string difference = name;
    difference.append(": ").append(shown);
    difference += shown == instead ? ", and others" : ", not " + instead;
    return difference;
  }
  return {};
}

}  // namespace shardine
