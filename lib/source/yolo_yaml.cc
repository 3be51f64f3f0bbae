#include "source/yolo_yaml.h"

#include <yaml.h>

#include <map>
#include <optional>
#include <span>
#include <utility>

#include "base/number.h"
#include "base/status_macros.h"
#include "shardine/escape.h"

namespace shardine {
namespace {

constexpr std::uint64_t kMaxClasses = 1'000'000;
constexpr std::uint64_t kMaxPoints = 1'000;
constexpr std::size_t kMaxYamlDepth = 64;

Status WrongYaml(std::string message) {
  return Status(Code::kCorrupt, "data.yaml: " + std::move(message));
}

// libyaml's parser of a text that outlives it.
class YamlParser {
 public:
  explicit YamlParser(std::string_view text) {
    is_made_ = yaml_parser_initialize(&parser_) == 1;
    if (!is_made_) return;
    yaml_parser_set_input_string(
        &parser_, reinterpret_cast<const unsigned char*>(text.data()),
        text.size());
  }
  ~YamlParser() {
    if (is_made_) yaml_parser_delete(&parser_);
  }
  YamlParser(const YamlParser&) = delete;
  YamlParser& operator=(const YamlParser&) = delete;

  bool is_made() const { return is_made_; }
  yaml_parser_t* get() { return &parser_; }
  Status Problem() const {
    if (!is_made_) return Status(Code::kFailed, "out of memory");
    return WrongYaml(
        std::string("YAML: ") +
        (parser_.problem != nullptr ? parser_.problem : "damaged") + ", line " +
        std::to_string(parser_.problem_mark.line + 1));
  }

 private:
  yaml_parser_t parser_ = {};
  bool is_made_ = false;
};

// libyaml looks at all open levels for each token: deep texts are refused
// before they take a time that grows with their square.
Status CheckDepth(std::string_view text) {
  YamlParser parser(text);
  if (!parser.is_made()) return parser.Problem();
  std::size_t depth = 0;
  yaml_event_type_t type = YAML_NO_EVENT;
  do {
    yaml_event_t event;
    if (yaml_parser_parse(parser.get(), &event) == 0) return parser.Problem();
    type = event.type;
    yaml_event_delete(&event);
    if (type == YAML_SEQUENCE_START_EVENT || type == YAML_MAPPING_START_EVENT) {
      if (++depth > kMaxYamlDepth) {
        return WrongYaml("YAML: lists and maps more than " +
                         std::to_string(kMaxYamlDepth) + " deep");
      }
    } else if (type == YAML_SEQUENCE_END_EVENT ||
               type == YAML_MAPPING_END_EVENT) {
      --depth;
    }
  } while (type != YAML_STREAM_END_EVENT);
  return Status();
}

// A parsed document, whose nodes have numbers: an alias is the number of its
// anchor's node, and no copy.
class YamlDocument {
 public:
  YamlDocument() = default;
  ~YamlDocument() {
    if (is_loaded_) yaml_document_delete(&document_);
  }
  YamlDocument(const YamlDocument&) = delete;
  YamlDocument& operator=(const YamlDocument&) = delete;

  Status Load(std::string_view text) {
    SHARDINE_RETURN_IF_ERROR(CheckDepth(text));
    YamlParser parser(text);
    is_loaded_ =
        parser.is_made() && yaml_parser_load(parser.get(), &document_) == 1;
    return is_loaded_ ? Status() : parser.Problem();
  }

  const yaml_node_t* root() { return yaml_document_get_root_node(&document_); }
  const yaml_node_t* node(int number) {
    return yaml_document_get_node(&document_, number);
  }

 private:
  yaml_document_t document_ = {};
  bool is_loaded_ = false;
};

std::optional<std::string_view> TextOf(const yaml_node_t* node) {
  if (node == nullptr || node->type != YAML_SCALAR_NODE) return std::nullopt;
  return std::string_view(
      reinterpret_cast<const char*>(node->data.scalar.value),
      node->data.scalar.length);
}

std::optional<std::uint64_t> NumberOf(const yaml_node_t* node) {
  const auto text = TextOf(node);
  return text ? ParseUnsigned(*text) : std::nullopt;
}

std::span<const yaml_node_pair_t> PairsOf(const yaml_node_t* node) {
  const auto& pairs = node->data.mapping.pairs;
  return {pairs.start, pairs.top};
}

std::span<const yaml_node_item_t> ItemsOf(const yaml_node_t* node) {
  const auto& items = node->data.sequence.items;
  return {items.start, items.top};
}

Status ReadNames(YamlDocument& document, const yaml_node_t* node,
                 std::vector<std::string>& names) {
  if (node->type == YAML_SEQUENCE_NODE) {
    for (const yaml_node_item_t item : ItemsOf(node)) {
      const auto name = TextOf(document.node(item));
      if (!name) return WrongYaml("a name that is no text");
      names.emplace_back(*name);
    }
    return Status();
  }
  if (node->type != YAML_MAPPING_NODE) {
    return WrongYaml("names is neither a list nor a map");
  }
  std::map<std::uint64_t, std::string> by_number;
  for (const yaml_node_pair_t& pair : PairsOf(node)) {
    const auto number = NumberOf(document.node(pair.key));
    const auto name = TextOf(document.node(pair.value));
    if (!number || !name) return WrongYaml("names maps something but numbers");
    if (!by_number.try_emplace(*number, *name).second) {
      return WrongYaml("names has class " + std::to_string(*number) + " again");
    }
  }
  for (auto& [number, name] : by_number) {
    if (number != names.size()) {
      return WrongYaml("names has no class " + std::to_string(names.size()));
    }
    names.push_back(std::move(name));
  }
  return Status();
}

Status ReadPoints(YamlDocument& document, const yaml_node_t* node,
                  YoloYaml& yaml) {
  const Status wrong = WrongYaml("kpt_shape is not [points, 2 or 3]");
  if (node->type != YAML_SEQUENCE_NODE || ItemsOf(node).size() != 2) {
    return wrong;
  }
  const auto points = NumberOf(document.node(ItemsOf(node)[0]));
  const auto numbers = NumberOf(document.node(ItemsOf(node)[1]));
  if (!points || *points == 0 || *points > kMaxPoints || !numbers ||
      (*numbers != 2 && *numbers != 3)) {
    return wrong;
  }
  yaml.points = *points;
  yaml.point_numbers = *numbers;
  return Status();
}

}  // namespace

Result<YoloYaml> ParseYoloYaml(std::string_view text) {
  YamlDocument document;
  SHARDINE_RETURN_IF_ERROR(document.Load(text));
  const yaml_node_t* const root = document.root();
  if (root == nullptr || root->type != YAML_MAPPING_NODE) {
    return WrongYaml("is no map of names");
  }
  YoloYaml yaml;
  std::map<std::string_view, const yaml_node_t*> members;
  for (const yaml_node_pair_t& pair : PairsOf(root)) {
    const auto name = TextOf(document.node(pair.key));
    if (!name) continue;
    if (!members.try_emplace(*name, document.node(pair.value)).second) {
      return WrongYaml("has \"" + EscapeBytes(*name) + "\" again");
    }
  }
  std::optional<std::uint64_t> count;
  if (members.contains("nc")) {
    count = NumberOf(members["nc"]);
    if (!count || *count > kMaxClasses) {
      return WrongYaml("nc is no number of classes");
    }
  }
  if (members.contains("names")) {
    SHARDINE_RETURN_IF_ERROR(ReadNames(document, members["names"], yaml.names));
    if (count && *count != yaml.names.size()) {
      return WrongYaml("nc is " + std::to_string(*count) + ", and names has " +
                       std::to_string(yaml.names.size()));
    }
  } else if (count) {
    for (std::uint64_t i = 0; i < *count; ++i) {
      yaml.names.push_back("class_" + std::to_string(i));
    }
  }
  if (yaml.names.empty()) return WrongYaml("has no names of classes");
  if (members.contains("kpt_shape")) {
    SHARDINE_RETURN_IF_ERROR(ReadPoints(document, members["kpt_shape"], yaml));
  }
  return yaml;
}

}  // namespace shardine
