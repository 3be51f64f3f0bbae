#include "lmdb/item_field.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/shown_name.h"
#include "base/status_macros.h"
#include "base/utf8.h"
#include "lmdb/numpy_dtype.h"

namespace shardine {
namespace {

// JSON of data is not deeper; a list may hold itself.
constexpr int kMaxItemDepth = 32;
bool AppendNumber(const PickleValue& value, std::vector<Label>& labels) {
  if (!value.is_number()) return false;
  if (value.kind() != PickleKind::kFloat) {
    labels.emplace_back(value.integer());
    return true;
  }
  if (std::isnan(value.real())) return false;
  labels.push_back(Label::FromReal(value.real()));
  return true;
}

bool AppendItems(const PickleArray& array, std::vector<Label>& labels) {
  const auto dtype = ParseDtypeName(array.dtype);
  if (!dtype || array.shape.size() > 1) return false;
  const ByteView bytes = array.data.bytes;
  for (std::size_t at = 0; at < bytes.size(); at += dtype->item_size) {
    const auto number = NumberOf(*dtype, bytes.subspan(at, dtype->item_size));
    if (!number) return false;
    labels.push_back(*number);
  }
  return true;
}

// Python's numbers in one array: reals if one of them is, else integers.
struct Numbers {
  std::vector<std::uint64_t> shape;
  std::uint64_t count = 0;
  bool real = false;
  bool boolean = true;
};

// The sides of a number, a list, or a list of equally long lists. Other values
// and empty lists give false.
bool ShapeOf(const PickleValue& value, Numbers& numbers) {
  numbers.count = 1;
  if (!value.is_sequence()) return true;
  numbers.count = value.size();
  numbers.shape.push_back(value.size());
  if (value.size() == 0 || !value.item(0).is_sequence()) {
    return value.size() > 0;
  }
  const std::size_t columns = value.item(0).size();
  for (std::size_t i = 0; i < value.size(); ++i) {
    const PickleValue row = value.item(i);
    if (!row.is_sequence() || row.size() != columns) return false;
  }
  numbers.count *= columns;
  numbers.shape.push_back(columns);
  return columns > 0;
}

// Calls `take` with each number of a value of a known shape until it returns
// false.
template <typename Take>
bool EachNumber(const PickleValue& value, std::size_t rank, const Take& take) {
  if (rank == 0) return take(value);
  for (std::size_t i = 0; i < value.size(); ++i) {
    if (!EachNumber(value.item(i), rank - 1, take)) return false;
  }
  return true;
}

// False if an item is no number.
bool KindOf(const PickleValue& value, Numbers& numbers) {
  return EachNumber(value, numbers.shape.size(), [&](const PickleValue& item) {
    numbers.real = numbers.real || item.kind() == PickleKind::kFloat;
    numbers.boolean = numbers.boolean && item.kind() == PickleKind::kBool;
    return item.is_number();
  });
}

std::string BytesOf(const PickleValue& value, const Numbers& numbers) {
  std::string bytes;
  EachNumber(value, numbers.shape.size(), [&](const PickleValue& item) {
    const bool real = item.kind() == PickleKind::kFloat;
    if (numbers.real) {
      AppendLe(real ? item.real() : static_cast<double>(item.integer()), bytes);
    } else if (numbers.boolean) {
      bytes += static_cast<char>(item.integer());
    } else {
      AppendLe(item.integer(), bytes);
    }
    return true;
  });
  return bytes;
}

Status SharedParts() {
  return Status(Code::kUnsupported,
                "items that share their parts; pickle a copy of each");
}

void AppendJsonText(std::string_view text, std::string& to) {
  constexpr std::string_view kHex = "0123456789abcdef";
  to += '"';
  for (const char c : text) {
    const auto code = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      to += {'\\', c};
    } else if (code < 0x20) {
      to += "\\u00";
      to += {kHex[code >> 4U], kHex[code & 0xfU]};
    } else {
      to += c;
    }
  }
  to += '"';
}

// JSON as Python's json.dumps makes it, without blanks. Stops beyond `room`.
class JsonWriter {
 public:
  explicit JsonWriter(std::uint64_t room) : room_(room) {}

  // False if there is no JSON of it, or no room.
  bool Write(const PickleValue& value, int depth) {
    if (depth > kMaxItemDepth || full()) return false;
    switch (value.kind()) {
      case PickleKind::kNone:
        text_ += "null";
        return true;
      case PickleKind::kBool:
        text_ += value.integer() != 0 ? "true" : "false";
        return true;
      case PickleKind::kInt:
        text_ += std::to_string(value.integer());
        return true;
      case PickleKind::kFloat:
        if (!std::isfinite(value.real())) return false;
        text_ += Label::FromReal(value.real()).ToString();
        return true;
      case PickleKind::kText:
      case PickleKind::kBytes:
        return WriteText(value);
      case PickleKind::kTuple:
      case PickleKind::kList:
      case PickleKind::kDict:
        return WriteParts(value, depth);
      default:
        return false;
    }
  }

  bool full() const { return full_ || text_.size() > room_; }
  std::string TakeText() { return std::move(text_); }

 private:
  bool WriteText(const PickleValue& value) {
    const std::string_view text = AsText(value.bytes().bytes);
    full_ = text.size() > room_ - std::min<std::uint64_t>(room_, text_.size());
    if (full_ || !IsUtf8(text)) return false;
    AppendJsonText(text, text_);
    return true;
  }

  bool WriteParts(const PickleValue& value, int depth) {
    const bool dict = value.kind() == PickleKind::kDict;
    text_ += dict ? '{' : '[';
    for (std::size_t i = 0; i < value.size(); ++i) {
      const bool is_key = dict && i % 2 == 0;
      if (i > 0) text_ += dict && !is_key ? ':' : ',';
      // A key of JSON is text.
      if (is_key && !value.item(i).has_bytes()) return false;
      if (!Write(value.item(i), depth + 1)) return false;
    }
    text_ += dict ? '}' : ']';
    return true;
  }

  const std::uint64_t room_;
  std::string text_;
  bool full_ = false;
};

}  // namespace

bool AppendLabels(const PickleValue& value, RecordBudget& budget,
                  std::vector<Label>& labels) {
  if (value.kind() == PickleKind::kNone) return true;
  const auto has_room = [&](std::uint64_t count) {
    return budget.Hold(2 * sizeof(Label) * count);
  };
  if (value.kind() == PickleKind::kArray) {
    return has_room(value.array().data.bytes.size()) &&
           AppendItems(value.array(), labels);
  }
  if (!value.is_sequence()) return AppendNumber(value, labels);
  if (!has_room(value.size())) return false;
  for (std::size_t i = 0; i < value.size(); ++i) {
    if (!AppendNumber(value.item(i), labels)) return false;
  }
  return true;
}

void ItemFields::Begin(RecordBudget& budget) {
  kept_.clear();
  budget_ = &budget;
}

Status ItemFields::Make(std::string_view name, const PickleValue& item,
                        DecodedField& field) {
  if (!budget_->Copy(name.size())) return SharedParts();
  field = {.name = std::string(name)};
  PickleBytes data;
  if (item.kind() == PickleKind::kArray) {
    data = item.array().data;
    field.dtype = item.array().dtype;
    field.shape = item.array().shape;
  } else if (item.has_bytes()) {
    data = item.bytes();
    field.is_text = item.kind() == PickleKind::kText;
  } else {
    return MakeNumbers(item, field);
  }
  field.bytes = data.bytes;
  field.offset = data.offset;
  return {};
}

Status ItemFields::MakeNumbers(const PickleValue& item, DecodedField& field) {
  Numbers numbers;
  if (!ShapeOf(item, numbers)) return MakeText(item, field);
  // Each number takes a byte of the value at least, and eight in the array. The
  // budget is asked before the numbers are.
  if (!budget_->Step(numbers.count)) return SharedParts();
  if (!KindOf(item, numbers)) return MakeText(item, field);
  const bool boolean = numbers.boolean && !numbers.real;
  if (!budget_->Copy(numbers.count * (boolean ? 1 : 8))) return SharedParts();
  field.dtype = numbers.real ? "<f8" : boolean ? "|b1" : "<i8";
  field.shape = numbers.shape;
  Keep(BytesOf(item, numbers), field);
  return {};
}

Status ItemFields::MakeText(const PickleValue& item, DecodedField& field) {
  const std::uint64_t room = budget_->copies_left();
  JsonWriter json(room);
  const bool parts = item.is_sequence() || item.kind() == PickleKind::kDict;
  if (parts && json.Write(item, 0)) {
    std::string text = json.TakeText();
    if (!budget_->Copy(text.size())) return SharedParts();
    Keep(std::move(text), field);
    field.is_text = true;
    return {};
  }
  if (json.full()) return SharedParts();
  return Status(
      Code::kUnsupported,
      "item " + ShowName(field.name) + " is " +
          PickleKindWithArticle(item.kind()) +
          (parts ? " with parts that JSON has not"
                 : "; fields are bytes, texts, numbers, NumPy arrays, and "
                   "lists and dicts of texts and numbers"));
}

void ItemFields::Keep(std::string bytes, DecodedField& field) {
  kept_.push_back(std::move(bytes));
  field.bytes = AsBytes(kept_.back());
}

}  // namespace shardine
