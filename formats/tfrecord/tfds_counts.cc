#include "tfrecord/tfds_counts.h"

#include <array>
#include <charconv>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>

#include "base/json_tree.h"
#include "base/status_macros.h"

namespace shardine {
namespace {

using CountJson = nlohmann::json;

constexpr std::string_view kDefaultTemplate =
    "{DATASET}-{SPLIT}.{FILEFORMAT}-{SHARD_X_OF_Y}";

Status Not(const std::string& what) {
  return Status(Code::kUnsupported, "its text is not " + what);
}

// The member's value; null if there is no such member.
const CountJson* Find(const CountJson& object, const char* member) {
  if (!object.is_object()) return nullptr;
  const auto found = object.find(member);
  return found == object.end() ? nullptr : &*found;
}

std::string TextOf(const CountJson& object, const char* member,
                   std::string_view otherwise) {
  const CountJson* const value = Find(object, member);
  const bool is_text = value != nullptr && value->is_string();
  std::string text = is_text ? value->get<std::string>() : "";
  return text.empty() ? std::string(otherwise) : text;
}

// Proto3's JSON has 64-bit numbers as text, and readers take plain ones, too.
std::optional<std::uint64_t> CountOf(const CountJson& value) {
  if (value.is_number_unsigned()) return value.get<std::uint64_t>();
  if (!value.is_string()) return std::nullopt;
  const auto& text = value.get_ref<const std::string&>();
  const char* const end = text.data() + text.size();
  std::uint64_t count = 0;
  const auto [parsed, error] = std::from_chars(text.data(), end, count);
  if (error != std::errc() || parsed != end) return std::nullopt;
  return count;
}

std::string FiveDigits(std::size_t number) {
  std::array<char, 24> text = {};
  (void)std::snprintf(text.data(), text.size(), "%05zu", number);
  return text.data();
}

// The parts of a shard's name.
struct NameParts {
  std::string file_template;
  std::string dataset;
  std::string split;
  std::string file_format;
  std::size_t shards = 0;
};

std::string NameOf(const NameParts& parts, std::size_t shard) {
  const std::string index = FiveDigits(shard);
  const std::string count = FiveDigits(parts.shards);
  const std::pair<std::string_view, std::string> values[] = {
      {"{DATASET}", parts.dataset},
      {"{SPLIT}", parts.split},
      {"{FILEFORMAT}", parts.file_format},
      {"{SHARD_INDEX}", index},
      {"{NUM_SHARDS}", count},
      {"{SHARD_X_OF_Y}", index + "-of-" + count},
  };
  std::string name = parts.file_template;
  for (const auto& [variable, value] : values) {
    const std::size_t at = name.find(variable);
    if (at != name.npos) name.replace(at, variable.size(), value);
  }
  return name;
}

Result<SaidSplit> ReadSplit(const CountJson& root, const CountJson& value) {
  SaidSplit split{
      .name = TextOf(value, "name", ""), .samples = {}, .shards = {}};
  const CountJson* const lengths = Find(value, "shardLengths");
  if (lengths == nullptr) return split;
  if (!lengths->is_array()) {
    return Not("that of TensorFlow Datasets: \"shardLengths\" is no list");
  }
  const NameParts parts{
      .file_template = TextOf(value, "filepathTemplate", kDefaultTemplate),
      .dataset = TextOf(root, "name", ""),
      .split = split.name,
      .file_format = TextOf(root, "fileFormat", "tfrecord"),
      .shards = lengths->size()};
  for (const CountJson& length : *lengths) {
    split.shards.push_back(
        {NameOf(parts, split.shards.size()), CountOf(length)});
  }
  return split;
}

}  // namespace

Result<std::vector<SaidSplit>> ReadTfdsCounts(std::string_view text) {
  if (!JsonTreeFits(text)) return Not("of this many values");
  const CountJson root = CountJson::parse(text, nullptr, false);
  if (!root.is_object()) return Not("a JSON object");
  std::vector<SaidSplit> said;
  const CountJson* const splits = Find(root, "splits");
  if (splits == nullptr) return said;
  if (!splits->is_array()) {
    return Not("that of TensorFlow Datasets: \"splits\" is no list");
  }
  for (const CountJson& value : *splits) {
    SHARDINE_ASSIGN_OR_RETURN(SaidSplit split, ReadSplit(root, value));
    said.push_back(std::move(split));
  }
  return said;
}

}  // namespace shardine
