#include "pack/where_expression.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <type_traits>
#include <utility>

#include "base/status_macros.h"
#include "shardine/did_you_mean.h"
#include "shardine/escape.h"
#include "source/list_file.h"

namespace shardine {
namespace {

// Recursion follows the text, which comes from anywhere.
constexpr int kMaxDepth = 64;
// A chain of them is as deep as it is long: two nodes each but the first.
constexpr std::size_t kMostNodes = 1999;

constexpr std::string_view kBlanks = " \t\r\n";
constexpr std::string_view kWordBytes =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.+-/";

struct Name {
  std::string_view word;
  bool is_text;
};

constexpr std::array<Name, 9> kNames = {{{"id", false},
                                         {"label", false},
                                         {"labels", false},
                                         {"bytes", false},
                                         {"width", false},
                                         {"height", false},
                                         {"key", true},
                                         {"split", true},
                                         {"class", true}}};

long double NumberOf(const Label& label) {
  return label.is_integer() ? static_cast<long double>(label.integer())
                            : static_cast<long double>(label.real());
}

// The number that a sample has one of; nullopt: it is not known.
std::optional<long double> NumberOf(std::string_view name,
                                    const WhereSample& sample) {
  if (name == "id") return static_cast<long double>(sample.id);
  if (name == "labels") return static_cast<long double>(sample.labels.size());
  if (name == "bytes") return static_cast<long double>(sample.bytes);
  const std::uint32_t size = name == "width" ? sample.width : sample.height;
  if (size == 0) return std::nullopt;
  return static_cast<long double>(size);
}

// A label, or an id: these go beyond int64.
std::optional<long double> ParseNumber(std::string_view text) {
  std::uint64_t id = 0;
  const char* const end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, id);
  if (parsed.ec == std::errc() && parsed.ptr == end) {
    return static_cast<long double>(id);
  }
  const std::optional<Label> label = ParseLabel(text);
  return label ? std::optional(NumberOf(*label)) : std::nullopt;
}

// `*` is any bytes, `/` among them. Goes back to the last `*` alone, so that
// the time is at most the product of the lengths.
bool IsLike(std::string_view text, std::string_view pattern) {
  std::size_t t = 0;
  std::size_t p = 0;
  std::size_t star = pattern.npos;
  std::size_t taken = 0;  // where the star's match ends in the text
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      taken = t;
    } else if (p < pattern.size() &&
               (pattern[p] == '?' || pattern[p] == text[t])) {
      ++p;
      ++t;
    } else if (star != pattern.npos) {
      p = star + 1;
      t = ++taken;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == pattern.npos;
}

}  // namespace

// By descent: Or, And, Not, then one test.
class WhereExpression::Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  Result<WhereExpression> Run() {
    SHARDINE_RETURN_IF_ERROR(ParseJoined(Kind::kOr, 0).status());
    SkipBlanks();
    if (next_ < text_.size()) return Wrong("nothing more is expected");
    return std::move(expression_);
  }

 private:
  Status Wrong(const std::string& what) const {
    std::string_view rest = text_.substr(next_);
    rest = rest.substr(0, 20);
    const std::string at =
        rest.empty() ? "at its end" : "at \"" + EscapeBytes(rest) + "\"";
    return Status(Code::kInvalidArgument, "condition \"" + EscapeBytes(text_) +
                                              "\": " + what + " " + at);
  }

  void SkipBlanks() {
    next_ = std::min(text_.find_first_not_of(kBlanks, next_), text_.size());
  }

  std::string_view PeekWord() {
    SkipBlanks();
    const std::size_t end = text_.find_first_not_of(kWordBytes, next_);
    return text_.substr(next_, end == text_.npos ? end : end - next_);
  }

  bool TakeWord(std::string_view word) {
    if (PeekWord() != word) return false;
    next_ += word.size();
    return true;
  }

  bool TakeSign(std::string_view sign) {
    SkipBlanks();
    if (!text_.substr(next_).starts_with(sign)) return false;
    next_ += sign.size();
    return true;
  }

  std::size_t Add(Node node) {
    expression_.nodes_.push_back(std::move(node));
    return expression_.nodes_.size() - 1;
  }

  // kOr: conditions joined by `or`, each of them joined by `and`.
  Result<std::size_t> ParseJoined(Kind kind, int depth) {
    const bool is_or = kind == Kind::kOr;
    const auto part = [&] {
      return is_or ? ParseJoined(Kind::kAnd, depth) : ParseNot(depth);
    };
    SHARDINE_ASSIGN_OR_RETURN(std::size_t left, part());
    while (TakeWord(is_or ? "or" : "and")) {
      SHARDINE_ASSIGN_OR_RETURN(const std::size_t right, part());
      left = Add({.kind = kind, .left = left, .right = right});
    }
    return left;
  }

  Result<std::size_t> ParseNot(int depth) {
    if (depth > kMaxDepth) return Wrong("it is nested too deeply");
    if (TakeWord("not")) {
      SHARDINE_ASSIGN_OR_RETURN(const std::size_t what, ParseNot(depth + 1));
      return Add({.kind = Kind::kNot, .left = what});
    }
    if (!TakeSign("(")) return ParseTest();
    SHARDINE_ASSIGN_OR_RETURN(const std::size_t inner,
                              ParseJoined(Kind::kOr, depth + 1));
    if (!TakeSign(")")) return Wrong("\")\" is missing");
    return inner;
  }

  Result<std::size_t> ParseTest() {
    if (expression_.nodes_.size() >= kMostNodes) {
      return Wrong("these are more conditions than 1000");
    }
    Node node;
    SHARDINE_ASSIGN_OR_RETURN(node.name, ParseName());
    const bool is_text = kNames[node.name].is_text;
    SHARDINE_ASSIGN_OR_RETURN(node.op, ParseOp(is_text));
    const bool is_list = node.op == Op::kIn;
    if (is_list && !TakeSign("(")) return Wrong("\"(\" is missing");
    do {
      SHARDINE_ASSIGN_OR_RETURN(Value value, ParseValue(is_text));
      node.values.push_back(std::move(value));
    } while (is_list && TakeSign(","));
    if (is_list && !TakeSign(")")) return Wrong("\")\" is missing");
    return Add(std::move(node));
  }

  Result<std::size_t> ParseName() {
    const std::string_view word = PeekWord();
    const auto found = std::ranges::find(kNames, word, &Name::word);
    if (found != kNames.end()) {
      next_ += word.size();
      return static_cast<std::size_t>(found - kNames.begin());
    }
    std::string names;
    std::vector<std::string> words;
    for (const Name& name : kNames) {
      names += (names.empty() ? "" : ", ") + std::string(name.word);
      words.emplace_back(name.word);
    }
    return Wrong("one of " + names + " is expected" +
                 DidYouMean(std::string(word), words));
  }

  Result<Op> ParseOp(bool is_text) {
    if (TakeWord("in")) return Op::kIn;
    // The longer of two that begin alike come first.
    constexpr std::pair<std::string_view, Op> kEither[] = {
        {"==", Op::kEqual}, {"=", Op::kEqual}, {"!=", Op::kNotEqual}};
    constexpr std::pair<std::string_view, Op> kOfTexts[] = {
        {"~", Op::kLike}, {"!~", Op::kNotLike}};
    constexpr std::pair<std::string_view, Op> kOfNumbers[] = {
        {"<=", Op::kAtMost},
        {">=", Op::kAtLeast},
        {"<", Op::kLess},
        {">", Op::kMore}};
    for (const auto& [sign, op] : kEither) {
      if (TakeSign(sign)) return op;
    }
    for (const auto& [sign, op] : kOfTexts) {
      if (is_text && TakeSign(sign)) return op;
    }
    for (const auto& [sign, op] : kOfNumbers) {
      if (!is_text && TakeSign(sign)) return op;
    }
    return Wrong(is_text ? "one of = != ~ !~ in is expected"
                         : "one of = != < <= > >= in is expected");
  }

  Result<Value> ParseValue(bool is_text) {
    SHARDINE_ASSIGN_OR_RETURN(const std::string_view written, TakeWritten());
    if (!is_text) {
      const std::optional<Number> number = ParseNumber(written);
      if (!number)
        return Wrong("a number is expected, not \"" + EscapeBytes(written) +
                     "\"");
      return Value(*number);
    }
    auto text = UnescapeBytes(written);
    if (!text)
      return Wrong("\"" + EscapeBytes(written) + "\" has a \\ without xHH");
    return Value(*std::move(text));
  }

  // A value without its quotation marks.
  Result<std::string_view> TakeWritten() {
    SkipBlanks();
    const char quote = next_ < text_.size() ? text_[next_] : '\0';
    if (quote == '"' || quote == '\'') {
      const std::size_t end = text_.find(quote, next_ + 1);
      if (end == text_.npos) return Wrong("no end of what is quoted");
      const std::string_view inner = text_.substr(next_ + 1, end - next_ - 1);
      next_ = end + 1;
      return inner;
    }
    const std::string_view word = PeekWord();
    if (word.empty()) return Wrong("a value is expected");
    next_ += word.size();
    return word;
  }

  const std::string_view text_;
  std::size_t next_ = 0;
  WhereExpression expression_;
};

Result<WhereExpression> WhereExpression::Parse(std::string_view text) {
  return Parser(text).Run();
}

bool WhereExpression::Holds(const WhereSample& sample) const {
  return HoldsAt(nodes_.size() - 1, sample);
}

bool WhereExpression::HoldsAt(std::size_t node,
                              const WhereSample& sample) const {
  const Node& at = nodes_[node];
  switch (at.kind) {
    case Kind::kTest:
      return Test(at, sample);
    case Kind::kAnd:
      return HoldsAt(at.left, sample) && HoldsAt(at.right, sample);
    case Kind::kOr:
      return HoldsAt(at.left, sample) || HoldsAt(at.right, sample);
    case Kind::kNot:
      return !HoldsAt(at.left, sample);
  }
  return false;
}

template <typename T>
bool WhereExpression::IsMet(Op op, const T& has, const T& wanted) {
  switch (op) {
    case Op::kEqual:
    case Op::kIn:
      return has == wanted;
    case Op::kNotEqual:
      return has != wanted;
    case Op::kLess:
      return has < wanted;
    case Op::kAtMost:
      return has <= wanted;
    case Op::kMore:
      return has > wanted;
    case Op::kAtLeast:
      return has >= wanted;
    case Op::kLike:
    case Op::kNotLike:
      // For texts alone: a number has no pattern.
      if constexpr (std::is_same_v<T, std::string_view>) {
        return IsLike(has, wanted) == (op == Op::kLike);
      }
      return false;
  }
  return false;
}

template <typename T>
bool WhereExpression::IsMetBy(const Node& node, std::span<const T> has) {
  using Kept =
      std::conditional_t<std::is_same_v<T, Number>, Number, std::string>;
  const auto is_met = [&](const T& one) {
    return std::ranges::any_of(node.values, [&](const Value& value) {
      return IsMet(node.op, one, T(std::get<Kept>(value)));
    });
  };
  if (node.op == Op::kNotEqual || node.op == Op::kNotLike) {
    return !has.empty() && std::ranges::all_of(has, is_met);
  }
  return std::ranges::any_of(has, is_met);
}

bool WhereExpression::Test(const Node& node, const WhereSample& sample) {
  const Name& name = kNames[node.name];
  if (name.word == "class") return IsMetBy(node, sample.classes);
  if (name.is_text) {
    const auto text = name.word == "key" ? sample.key : sample.split;
    return IsMetBy(node, std::span(&text, 1));
  }
  if (name.word == "label") {
    std::vector<Number> labels;
    for (const Label& label : sample.labels) labels.push_back(NumberOf(label));
    return IsMetBy(node, std::span<const Number>(labels));
  }
  const std::optional<Number> number = NumberOf(name.word, sample);
  return number && IsMetBy(node, std::span<const Number>(&*number, 1));
}

}  // namespace shardine
