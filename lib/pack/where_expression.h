// WhereExpression: a condition on samples, as a user writes it:
//   label < 10 and (width >= 256 or key ~ "raw/*")
#ifndef SHARDINE_PACK_WHERE_EXPRESSION_H_
#define SHARDINE_PACK_WHERE_EXPRESSION_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "shardine/label.h"
#include "shardine/status.h"

namespace shardine {

// The values of a sample that a condition may ask for.
struct WhereSample {
  std::string_view split = {};
  std::string_view key = {};
  std::uint64_t id = 0;
  std::span<const Label> labels = {};
  std::span<const std::string_view> classes = {};  // of its labels
  std::uint64_t bytes = 0;                         // of all fields
  std::uint32_t width = 0;  // 0: not known, as of no image
  std::uint32_t height = 0;
};

// Immutable, so thread-safe.
//
// Grammar: conditions joined by `and`, `or`, `not` and parentheses. One is
// NAME OP VALUE, or NAME in (VALUE, ...). Numbers: id, label, labels (how
// many), bytes, width, height, with = == != < <= > >=. Texts: key,
// split, class, with = == != and ~ or !~, where `*` stands for any bytes and
// `?` for one. A value is a number or a word, or anything between quotation
// marks of either kind, in the notation of text output (shardine/escape.h). A
// value that a sample lacks (a label, a class, a width) meets no condition, not
// even != and !~. A condition holds if it does for one of a sample's labels or
// classes; != and !~ hold if they do for all of them.
class WhereExpression {
 public:
  // kInvalidArgument, with the place in the text.
  static Result<WhereExpression> Parse(std::string_view text);

  bool Holds(const WhereSample& sample) const;

 private:
  class Parser;
  enum class Kind : std::uint8_t { kTest, kAnd, kOr, kNot };
  enum class Op : std::uint8_t {
    kEqual,
    kNotEqual,
    kLess,
    kAtMost,
    kMore,
    kAtLeast,
    kLike,
    kNotLike,
    kIn,
  };
  // Ids, labels and counts are whole numbers of 64 bits, some labels are
  // doubles: a long double tells all of them apart.
  using Number = long double;
  using Value = std::variant<Number, std::string>;

  // One condition, or an operator that joins two.
  struct Node {
    Kind kind = Kind::kTest;
    std::size_t left = 0;   // into nodes_; of kNot the only one
    std::size_t right = 0;  // into nodes_
    std::size_t name = 0;   // into the table of names
    Op op = Op::kEqual;
    std::vector<Value> values = {};
  };

  bool HoldsAt(std::size_t node, const WhereSample& sample) const;
  static bool Test(const Node& node, const WhereSample& sample);
  template <typename T>
  static bool IsMetBy(const Node& node, std::span<const T> has);
  template <typename T>
  static bool IsMet(Op op, const T& has, const T& wanted);

  std::vector<Node> nodes_;  // the last is the whole
};

}  // namespace shardine

#endif  // SHARDINE_PACK_WHERE_EXPRESSION_H_
