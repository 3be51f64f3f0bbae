// JsonTree: a JSON text as views of it, for manifests of megabytes that are to
// be open in milliseconds. Strict as RFC 8259, but for how deep a text nests.
#ifndef SHARDINE_DATASET_JSON_TREE_H_
#define SHARDINE_DATASET_JSON_TREE_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace shardine {

enum class JsonKind : std::uint8_t {
  kNumber,
  kString,
  kArray,
  kObject,
  kOther,  // true, false, null
};

class JsonTree;

// A value of a tree, which must outlive it. Cheap to copy.
class JsonValue {
 public:
  JsonKind kind() const;
  // Elements, or members; 0 of anything else.
  std::size_t size() const;
  // Valid UTF-8; nullopt if it is no string.
  std::optional<std::string_view> text() const;
  // nullopt if it is no whole number in range, or not written as one.
  std::optional<std::uint64_t> unsigned_number() const;
  std::optional<std::int64_t> signed_number() const;

  // The first member with that name; nullopt if there is none.
  std::optional<JsonValue> Find(std::string_view name) const;
  // Calls visit(element), or visit(name, value), in order, until one returns
  // false: then that is returned. REQUIRES: an array, or an object.
  template <typename Visit>
  bool ForEachElement(const Visit& visit) const;
  template <typename Visit>
  bool ForEachMember(const Visit& visit) const;

 private:
  friend class JsonTree;
  JsonValue(const JsonTree& tree, std::size_t node)
      : tree_(&tree), node_(node) {}

  const JsonTree* tree_;
  std::size_t node_;
};

// Immutable, so thread-safe.
class JsonTree {
 public:
  static constexpr int kMaxDepth = 64;

  // nullopt: not a JSON text, or nested deeper. `text` must outlive the tree.
  static std::optional<JsonTree> Parse(std::string_view text);

  JsonValue root() const { return {*this, 0}; }

 private:
  friend class JsonValue;
  friend class JsonTreeParser;
  // In the order of the text: containers before what they hold, the name of a
  // member before its value.
  struct Node {
    JsonKind kind = JsonKind::kOther;
    std::uint32_t size = 0;  // elements or members
    std::size_t behind = 0;  // the node behind all that it holds
    std::string_view text;   // of a string without escapes, or of a number
  };

  std::vector<Node> nodes_;
  std::deque<std::string> unescaped_;  // what views could not show
};

template <typename Visit>
bool JsonValue::ForEachElement(const Visit& visit) const {
  const auto& nodes = tree_->nodes_;
  for (std::size_t i = node_ + 1; i < nodes[node_].behind;
       i = nodes[i].behind) {
    if (!visit(JsonValue(*tree_, i))) return false;
  }
  return true;
}

template <typename Visit>
bool JsonValue::ForEachMember(const Visit& visit) const {
  const auto& nodes = tree_->nodes_;
  for (std::size_t i = node_ + 1; i < nodes[node_].behind;
       i = nodes[i + 1].behind) {
    if (!visit(nodes[i].text, JsonValue(*tree_, i + 1))) return false;
  }
  return true;
}

}  // namespace shardine

#endif  // SHARDINE_DATASET_JSON_TREE_H_
