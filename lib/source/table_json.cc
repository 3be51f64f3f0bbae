#include "source/table_json.h"

#include <charconv>
#include <nlohmann/json.hpp>
#include <unordered_map>
#include <utility>

#include "shardine/escape.h"

namespace shardine {
namespace {

using Json = nlohmann::json;

// Deeper lists in lists occur in no real data.
constexpr std::size_t kMaxDepth = 32;

std::string Quoted(const std::string& text) {
  return Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

// Takes the parser's events. Each returns false to stop, with status_ set.
// Events rather than a tree of values: a tree takes many times the memory of
// the text.
class JsonRows::Handler : public nlohmann::json_sax<Json> {
 public:
  Handler(std::vector<std::string>& columns, const Take& take)
      : columns_(columns), take_(take) {}

  Status Parse(std::string_view text, bool is_line) {
    status_ = Status();
    is_line_ = is_line;
    level_ = is_line ? kRows : kNothing;
    depth_ = 0;
    text_.clear();
    found_.clear();
    // The handler has the reason for a false.
    static_cast<void>(Json::sax_parse(text, this));
    return std::move(status_);
  }
  TableRow& row() { return row_; }

  bool null() override {
    if (level_ == kRows) return Unexpected();
    if (depth_ > 0) return Raw("null");
    return level_ == kRow || Unexpected();
  }
  bool boolean(bool value) override {
    return Add(CellKind::kBool, value ? "true" : "false");
  }
  bool binary(binary_t&) override { return Fail("binary value"); }
  bool number_integer(number_integer_t value) override {
    return Add(CellKind::kNumber, std::to_string(value));
  }
  bool number_unsigned(number_unsigned_t value) override {
    return Add(CellKind::kNumber, std::to_string(value));
  }
  // The digits as they stand: a double has not all whole numbers.
  bool number_float(number_float_t, const string_t& digits) override {
    return Add(CellKind::kNumber, digits);
  }
  bool string(string_t& value) override {
    if (level_ == kRows) {
      column_ = ColumnOf("path");
      level_ = kRow;
      return Add(CellKind::kText, value) && end_object();
    }
    return depth_ > 0 ? Raw(Quoted(value)) : Add(CellKind::kText, value);
  }

  bool start_object(std::size_t) override {
    if (level_ == kRows) {
      level_ = kRow;
      return true;
    }
    return Open('{');
  }
  bool key(string_t& value) override {
    if (depth_ > 0) {
      Comma();
      text_ += Quoted(value) + ":";
      after_key_ = true;
      return true;
    }
    column_ = ColumnOf(value);
    if (std::exchange(last_rows_[column_], row_.number + 1) !=
        row_.number + 1) {
      return true;
    }
    return Fail("member \"" + EscapeBytes(value) + "\" given twice");
  }
  bool end_object() override {
    if (depth_ > 0) return Close('}');
    level_ = kRows;
    return EndRow();
  }
  bool start_array(std::size_t) override {
    if (level_ == kNothing) {
      level_ = kRows;
      return true;
    }
    if (level_ == kRows) return Unexpected();
    return Open('[');
  }
  bool end_array() override { return depth_ == 0 || Close(']'); }

  bool parse_error(std::size_t position, const std::string&,
                   const nlohmann::detail::exception&) override {
    // Positions count from 1, and from 0 at an empty text.
    status_ = Status(Code::kCorrupt, "not valid JSON")
                  .At({.offset = position > 0 ? position - 1 : 0});
    return false;
  }

 private:
  enum Level { kNothing, kRows, kRow };
  struct Found {
    std::size_t column = 0;
    CellKind kind = CellKind::kMissing;
    std::size_t begin = 0;
    std::size_t size = 0;
  };

  bool Fail(std::string message) {
    status_ = Status(Code::kCorrupt, std::move(message));
    if (!is_line_) status_ = std::move(status_).At({.record = row_.number});
    return false;
  }
  bool Unexpected() {
    return Fail(level_ == kNothing ? "the index is not an array"
                                   : "neither a path nor an object");
  }

  std::size_t ColumnOf(const std::string& name) {
    const auto [known, is_new] = by_name_.try_emplace(name, columns_.size());
    if (is_new) {
      columns_.push_back(name);
      last_rows_.push_back(0);
    }
    return known->second;
  }

  void Comma() {
    if (!text_.empty() && text_.size() > begin_ && !after_key_ &&
        text_.back() != '[' && text_.back() != '{') {
      text_ += ',';
    }
    after_key_ = false;
  }
  bool Raw(std::string_view text) {
    Comma();
    text_ += text;
    return true;
  }
  bool Add(CellKind kind, std::string_view text) {
    if (depth_ > 0) return Raw(text);
    if (level_ != kRow) return Unexpected();
    found_.push_back({column_, kind, text_.size(), text.size()});
    text_ += text;
    return true;
  }
  bool Open(char bracket) {
    if (level_ != kRow) return Unexpected();
    if (depth_ == kMaxDepth) return Fail("nested too deeply");
    if (depth_++ == 0) {
      begin_ = text_.size();
      after_key_ = false;
    } else {
      Comma();
    }
    text_ += bracket;
    return true;
  }
  bool Close(char bracket) {
    text_ += bracket;
    if (--depth_ == 0) {
      found_.push_back(
          {column_, CellKind::kJson, begin_, text_.size() - begin_});
    }
    return true;
  }

  bool EndRow() {
    row_.cells.clear();
    for (const Found& found : found_) {
      row_.cells.push_back(
          {found.kind, std::string_view(text_).substr(found.begin, found.size),
           found.column});
    }
    status_ = take_(row_);
    ++row_.number;
    text_.clear();
    found_.clear();
    return status_.ok();
  }

  std::vector<std::string>& columns_;
  const Take& take_;
  std::unordered_map<std::string, std::size_t> by_name_;
  std::vector<std::uint64_t> last_rows_;  // by column, counted from 1
  TableRow row_;
  Level level_ = kNothing;
  bool is_line_ = false;
  std::size_t depth_ = 0;  // of lists and objects in a row
  std::size_t begin_ = 0;  // of the outermost of them in text_
  bool after_key_ = false;
  std::size_t column_ = 0;
  std::string text_;  // of the cells of a row
  std::vector<Found> found_;
  Status status_;
};

JsonRows::JsonRows(std::vector<std::string>& columns, const Take& take)
    : handler_(std::make_unique<Handler>(columns, take)) {}
JsonRows::~JsonRows() = default;

Status JsonRows::TakeArray(std::string_view text) {
  return handler_->Parse(text, false);
}

Status JsonRows::TakeLine(std::string_view text, std::uint64_t line,
                          std::uint64_t offset) {
  handler_->row().line = line;
  handler_->row().offset = offset;
  return handler_->Parse(text, true);
}

bool ReadJsonElements(std::string_view json, std::vector<std::string>& texts,
                      std::vector<TableCell>& elements) {
  const Json list = Json::parse(json, nullptr, false);
  if (!list.is_array()) return false;
  texts.clear();
  elements.clear();
  texts.reserve(list.size());
  for (const Json& value : list) {
    if (value.is_structured() || value.is_null()) return false;
    texts.push_back(value.is_string() ? value.get<std::string>()
                                      : value.dump());
    elements.push_back({value.is_string()    ? CellKind::kText
                        : value.is_boolean() ? CellKind::kBool
                                             : CellKind::kNumber,
                        texts.back(), 0});
  }
  return true;
}

}  // namespace shardine
