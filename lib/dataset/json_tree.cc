#include "dataset/json_tree.h"

#include <charconv>
#include <utility>

#include "base/utf8.h"

namespace shardine {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

bool IsBlank(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }

void AppendUtf8(std::uint32_t code, std::string& to) {
  const auto byte = [&](std::uint32_t value) {
    to += static_cast<char>(static_cast<unsigned char>(value));
  };
  const auto tail = [&](int shift) { byte(0x80 | ((code >> shift) & 0x3F)); };
  if (code < 0x80) {
    byte(code);
  } else if (code < 0x800) {
    byte(0xC0 | (code >> 6));
    tail(0);
  } else if (code < 0x10000) {
    byte(0xE0 | (code >> 12));
    tail(6);
    tail(0);
  } else {
    byte(0xF0 | (code >> 18));
    tail(12);
    tail(6);
    tail(0);
  }
}

template <typename T>
std::optional<T> WholeNumber(std::string_view text) {
  T value = 0;
  const char* end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || at != end) return std::nullopt;
  return value;
}

}  // namespace

// Recursive descent. Each function begins at its first character and ends
// behind its last; false: not a JSON text.
class JsonTreeParser {
 public:
  JsonTreeParser(std::string_view text, JsonTree& tree)
      : at_(text.data()), end_(text.data() + text.size()), tree_(tree) {}

  bool Run() {
    SkipBlanks();
    if (!Value(0)) return false;
    SkipBlanks();
    return at_ == end_;
  }

 private:
  void SkipBlanks() {
    while (at_ < end_ && IsBlank(*at_)) ++at_;
  }
  bool Take(char c) {
    if (at_ == end_ || *at_ != c) return false;
    ++at_;
    return true;
  }
  bool TakeDigits() {
    if (at_ == end_ || !IsDigit(*at_)) return false;
    while (at_ < end_ && IsDigit(*at_)) ++at_;
    return true;
  }

  void AddLeaf(JsonKind kind, std::string_view text) {
    tree_.nodes_.push_back({kind, 0, tree_.nodes_.size() + 1, text});
  }
  bool Value(int depth);
  bool Container(JsonKind kind, char close, int depth);
  bool Word(std::string_view word);
  bool Number();
  bool String();
  bool Unescape(const char* begin);
  bool Escape(std::string& to);
  bool Hex(std::uint32_t& code);

  const char* at_;
  const char* const end_;
  JsonTree& tree_;
};

bool JsonTreeParser::Value(int depth) {
  if (at_ == end_ || depth > JsonTree::kMaxDepth) return false;
  switch (*at_) {
    case '"':
      return String();
    case '{':
      return Container(JsonKind::kObject, '}', depth);
    case '[':
      return Container(JsonKind::kArray, ']', depth);
    case 't':
      return Word("true");
    case 'f':
      return Word("false");
    case 'n':
      return Word("null");
    default:
      return Number();
  }
}

bool JsonTreeParser::Container(JsonKind kind, char close, int depth) {
  const std::size_t node = tree_.nodes_.size();
  AddLeaf(kind, {});
  ++at_;
  SkipBlanks();
  std::uint32_t size = 0;
  while (!Take(close)) {
    if (size > 0) {
      if (!Take(',')) return false;
      SkipBlanks();
    }
    if (kind == JsonKind::kObject) {
      if (at_ == end_ || *at_ != '"' || !String()) return false;
      SkipBlanks();
      if (!Take(':')) return false;
      SkipBlanks();
    }
    if (!Value(depth + 1)) return false;
    ++size;
    SkipBlanks();
  }
  tree_.nodes_[node].size = size;
  tree_.nodes_[node].behind = tree_.nodes_.size();
  return true;
}

bool JsonTreeParser::Word(std::string_view word) {
  const std::string_view rest(at_, static_cast<std::size_t>(end_ - at_));
  if (!rest.starts_with(word)) return false;
  at_ += word.size();
  AddLeaf(JsonKind::kOther, {});
  return true;
}

bool JsonTreeParser::Number() {
  const char* begin = at_;
  Take('-');
  if (!Take('0') && !TakeDigits()) return false;
  if (Take('.') && !TakeDigits()) return false;
  if (Take('e') || Take('E')) {
    if (!Take('+')) Take('-');
    if (!TakeDigits()) return false;
  }
  AddLeaf(JsonKind::kNumber, {begin, static_cast<std::size_t>(at_ - begin)});
  return true;
}

bool JsonTreeParser::String() {
  const char* begin = ++at_;
  unsigned all = 0;
  for (; at_ < end_ && *at_ != '"'; ++at_) {
    const auto c = static_cast<unsigned char>(*at_);
    if (c == '\\') return Unescape(begin);
    if (c < 0x20) return false;
    all |= c;
  }
  const std::string_view text(begin, static_cast<std::size_t>(at_ - begin));
  if (!Take('"') || (all >= 0x80 && !IsUtf8(text))) return false;
  AddLeaf(JsonKind::kString, text);
  return true;
}

// At the first escape of the string that begins there.
bool JsonTreeParser::Unescape(const char* begin) {
  std::string text(begin, at_);
  while (at_ < end_ && *at_ != '"') {
    if (*at_ == '\\') {
      if (!Escape(text)) return false;
      continue;
    }
    if (static_cast<unsigned char>(*at_) < 0x20) return false;
    text += *at_++;
  }
  if (!Take('"') || !IsUtf8(text)) return false;
  AddLeaf(JsonKind::kString, tree_.unescaped_.emplace_back(std::move(text)));
  return true;
}

bool JsonTreeParser::Escape(std::string& to) {
  constexpr std::string_view kNames = "\"\\/bfnrt";
  constexpr std::string_view kMeant = "\"\\/\b\f\n\r\t";
  ++at_;
  if (at_ == end_) return false;
  const char name = *at_++;
  if (const auto found = kNames.find(name); found != kNames.npos) {
    to += kMeant[found];
    return true;
  }
  std::uint32_t code = 0;
  if (name != 'u' || !Hex(code)) return false;
  if (code >= 0xDC00 && code < 0xE000) return false;
  if (code >= 0xD800 && code < 0xDC00) {
    std::uint32_t low = 0;
    if (!Take('\\') || !Take('u') || !Hex(low)) return false;
    if (low < 0xDC00 || low >= 0xE000) return false;
    code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
  }
  AppendUtf8(code, to);
  return true;
}

bool JsonTreeParser::Hex(std::uint32_t& code) {
  if (end_ - at_ < 4) return false;
  const auto [behind, error] = std::from_chars(at_, at_ + 4, code, 16);
  if (error != std::errc() || behind != at_ + 4) return false;
  at_ = behind;
  return true;
}

std::optional<JsonTree> JsonTree::Parse(std::string_view text) {
  JsonTree tree;
  tree.nodes_.reserve(text.size() / 24);  // a manifest has one per 26 bytes
  if (!JsonTreeParser(text, tree).Run()) return std::nullopt;
  return tree;
}

JsonKind JsonValue::kind() const { return tree_->nodes_[node_].kind; }

std::size_t JsonValue::size() const { return tree_->nodes_[node_].size; }

std::optional<std::string_view> JsonValue::text() const {
  if (kind() != JsonKind::kString) return std::nullopt;
  return tree_->nodes_[node_].text;
}

std::optional<std::uint64_t> JsonValue::unsigned_number() const {
  if (kind() != JsonKind::kNumber) return std::nullopt;
  return WholeNumber<std::uint64_t>(tree_->nodes_[node_].text);
}

std::optional<std::int64_t> JsonValue::signed_number() const {
  if (kind() != JsonKind::kNumber) return std::nullopt;
  return WholeNumber<std::int64_t>(tree_->nodes_[node_].text);
}

std::optional<JsonValue> JsonValue::Find(std::string_view name) const {
  if (kind() != JsonKind::kObject) return std::nullopt;
  std::optional<JsonValue> found;
  ForEachMember([&](std::string_view member, JsonValue value) {
    if (member != name) return true;
    found = value;
    return false;
  });
  return found;
}

}  // namespace shardine
