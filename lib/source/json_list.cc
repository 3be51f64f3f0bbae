#include "source/json_list.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "base/status_macros.h"

namespace shardine {
namespace {

using Json = nlohmann::json;

// Takes the parser's events. Each returns false to stop, with status_ set.
// Events rather than a tree of values: a tree takes many times the memory of
// the text. Nesting has four levels, so that a hostile depth ends the parsing
// at once.
class ListHandler : public nlohmann::json_sax<Json> {
 public:
  Result<std::vector<JsonEntry>> Finish() && {
    if (!status_.ok()) return std::move(status_);
    return std::move(entries_);
  }

  bool null() override { return Fail("null has no meaning here"); }
  bool boolean(bool) override { return Fail("a boolean has no meaning here"); }
  bool binary(binary_t&) override { return Fail("binary value"); }

  bool number_integer(number_integer_t value) override {
    if (key_ == "id") return Fail("the id is not in [0, 2^64)");
    return AddLabel(Label(value));
  }

  bool number_unsigned(number_unsigned_t value) override {
    if (key_ == "id") {
      if (level_ != kObject) return Unexpected();
      entry_.id = value;
      return true;
    }
    if (value <= INT64_MAX) {
      return AddLabel(Label(static_cast<std::int64_t>(value)));
    }
    // Between 2^63 and 2^64 only a double can hold the label, and most numbers
    // there are none.
    const Label label = Label::FromReal(static_cast<double>(value));
    if (label.ToString() != std::to_string(value)) {
      return Fail("a label that cannot be held exactly");
    }
    return AddLabel(label);
  }

  bool number_float(number_float_t value, const string_t&) override {
    if (key_ == "id") return Fail("the id is not a whole number");
    return AddLabel(Label::FromReal(value));
  }

  bool string(string_t& value) override {
    if (level_ == kList) {
      entry_.path = std::move(value);
      return EndEntry();
    }
    if (level_ != kObject || key_ != "path") return Unexpected();
    entry_.path = std::move(value);
    return true;
  }

  bool start_object(std::size_t) override {
    if (level_ != kList) return Unexpected();
    level_ = kObject;
    seen_.clear();
    return true;
  }

  bool key(string_t& value) override {
    if (value != "path" && value != "label" && value != "labels" &&
        value != "id") {
      return Fail("unknown member \"" + value + "\"");
    }
    if (seen_.find(value[0]) != std::string::npos) {
      return Fail("member \"" + value + "\" given twice");
    }
    // "label" and "labels" say the same thing.
    seen_ += value[0];
    key_ = std::move(value);
    return true;
  }

  bool end_object() override {
    level_ = kList;
    key_.clear();
    return EndEntry();
  }

  bool start_array(std::size_t) override {
    if (level_ == kNothing) {
      level_ = kList;
      return true;
    }
    if (level_ != kObject || key_ != "labels") return Unexpected();
    level_ = kLabels;
    entry_.labels.emplace();
    return true;
  }

  bool end_array() override {
    level_ = level_ == kLabels ? kObject : kNothing;
    return true;
  }

  bool parse_error(std::size_t position, const std::string&,
                   const nlohmann::detail::exception&) override {
    // Positions count from 1, and from 0 at an empty text.
    status_ = Status(Code::kCorrupt, "not valid JSON")
                  .At({.offset = position > 0 ? position - 1 : 0});
    return false;
  }

 private:
  enum Level { kNothing, kList, kObject, kLabels };

  bool Fail(std::string message) {
    status_ = Status(Code::kCorrupt, std::move(message))
                  .At({.record = entries_.size()});
    return false;
  }

  bool Unexpected() {
    return Fail(level_ == kNothing
                    ? "the index is not an array"
                    : "neither a path nor an object with path, label or "
                      "labels, id");
  }

  bool AddLabel(const Label& label) {
    if (level_ == kLabels) {
      entry_.labels->push_back(label);
      return true;
    }
    if (level_ != kObject || key_ != "label") return Unexpected();
    entry_.labels = {label};
    return true;
  }

  bool EndEntry() {
    if (entry_.path.empty()) return Fail("no path");
    if (entry_.path.find('\0') != std::string::npos) {
      return Fail("NUL byte in the path");
    }
    entries_.push_back(std::exchange(entry_, {}));
    return true;
  }

  Level level_ = kNothing;
  std::string key_;
  std::string seen_;  // first letters of the members of this entry
  JsonEntry entry_;
  std::vector<JsonEntry> entries_;
  Status status_;
};

}  // namespace

Result<std::vector<JsonEntry>> ParseJsonList(std::string_view text) {
  ListHandler handler;
  // The handler has the reason for a false.
  static_cast<void>(Json::sax_parse(text, &handler));
  return std::move(handler).Finish();
}

Result<std::vector<JsonEntry>> ReadJsonList(ReadableStorage& storage,
                                            const std::string& path) {
  SHARDINE_ASSIGN_OR_RETURN(const std::string text,
                            ReadFile(storage, path, kMaxJsonList));
  auto entries = ParseJsonList(text);
  if (!entries.ok()) return std::move(entries).status().At({.path = path});
  return entries;
}

}  // namespace shardine
