#include "lmdb/pickle_value.h"

#include <bit>

#include "base/check.h"
#include "lmdb/value_tree.h"

namespace shardine {

std::string_view PickleKindName(PickleKind kind) {
  switch (kind) {
    case PickleKind::kNone:
      return "None";
    case PickleKind::kBool:
      return "bool";
    case PickleKind::kInt:
      return "int";
    case PickleKind::kFloat:
      return "float";
    case PickleKind::kBytes:
      return "bytes";
    case PickleKind::kText:
      return "str";
    case PickleKind::kTuple:
      return "tuple";
    case PickleKind::kList:
      return "list";
    case PickleKind::kDict:
      return "dict";
    case PickleKind::kArray:
      return "NumPy array";
    case PickleKind::kGlobal:
      return "function";
    case PickleKind::kDtype:
      return "NumPy dtype";
    case PickleKind::kShell:
      return "unfinished NumPy array";
  }
  return "object";
}

std::string PickleKindWithArticle(PickleKind kind) {
  const std::string name(PickleKindName(kind));
  if (kind == PickleKind::kNone || kind == PickleKind::kBytes) return name;
  const bool vowel = std::string_view("aeiou").find(name[0]) != name.npos;
  return (vowel ? "an " : "a ") + name;
}

PickleKind PickleValue::kind() const { return tree_->node(node_).kind; }

bool PickleValue::is_number() const {
  return kind() == PickleKind::kBool || kind() == PickleKind::kInt ||
         kind() == PickleKind::kFloat;
}

bool PickleValue::is_sequence() const {
  return kind() == PickleKind::kTuple || kind() == PickleKind::kList;
}

bool PickleValue::has_bytes() const {
  return ValueTree::IsText(tree_->node(node_));
}

std::int64_t PickleValue::integer() const {
  SHARDINE_CHECK(kind() == PickleKind::kBool || kind() == PickleKind::kInt);
  return static_cast<std::int64_t>(tree_->node(node_).first);
}

double PickleValue::real() const {
  SHARDINE_CHECK(kind() == PickleKind::kFloat);
  return std::bit_cast<double>(tree_->node(node_).first);
}

PickleBytes PickleValue::bytes() const {
  SHARDINE_CHECK(has_bytes());
  return tree_->BytesOf(tree_->node(node_));
}

std::size_t PickleValue::size() const {
  SHARDINE_CHECK(is_sequence() || kind() == PickleKind::kDict);
  return tree_->SizeOf(tree_->node(node_));
}

PickleValue PickleValue::item(std::size_t i) const {
  SHARDINE_CHECK(i < size());
  return {*tree_, tree_->PartOf(tree_->node(node_), i)};
}

const PickleArray& PickleValue::array() const {
  SHARDINE_CHECK(kind() == PickleKind::kArray);
  return tree_->arrays_[static_cast<std::size_t>(tree_->node(node_).first)];
}

}  // namespace shardine
