#include "lmdb/item_field.h"

#include <cmath>
#include <utility>

#include "base/status_macros.h"
#include "base/utf8.h"
#include "lmdb/numpy_dtype.h"

namespace shardine {
namespace {

// JSON of data is not deeper; a list may hold itself.
constexpr int kMaxItemDepth = 32;
// An integer that takes two bytes in a pickle takes eight in an array, and some
// letters six in JSON.
constexpr std::uint64_t kMostTimes = 8;
constexpr std::uint64_t kMostMore = 4096;

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
  std::vector<PickleValue> items;
  bool real = false;
  bool boolean = true;
};

bool CollectNumber(const PickleValue& value, Numbers& numbers) {
  if (!value.is_number()) return false;
  numbers.real = numbers.real || value.kind() == PickleKind::kFloat;
  numbers.boolean = numbers.boolean && value.kind() == PickleKind::kBool;
  numbers.items.push_back(value);
  return true;
}

// A number, a list of numbers, or a list of equally long lists of numbers.
// False if it is none of them.
bool Collect(const PickleValue& value, Numbers& numbers) {
  if (!value.is_sequence()) return CollectNumber(value, numbers);
  numbers.shape.push_back(value.size());
  if (value.size() == 0) return false;
  const bool rows = value.item(0).is_sequence();
  if (rows) numbers.shape.push_back(value.item(0).size());
  for (std::size_t i = 0; i < value.size(); ++i) {
    const PickleValue item = value.item(i);
    if (!rows) {
      if (!CollectNumber(item, numbers)) return false;
      continue;
    }
    if (!item.is_sequence() || item.size() != numbers.shape[1]) return false;
    for (std::size_t k = 0; k < item.size(); ++k) {
      if (!CollectNumber(item.item(k), numbers)) return false;
    }
  }
  return !numbers.items.empty();
}

std::string BytesOf(const Numbers& numbers) {
  std::string bytes;
  for (const PickleValue& item : numbers.items) {
    const bool real = item.kind() == PickleKind::kFloat;
    if (numbers.real) {
      AppendLe(real ? item.real() : static_cast<double>(item.integer()), bytes);
    } else if (numbers.boolean) {
      bytes += static_cast<char>(item.integer());
    } else {
      AppendLe(item.integer(), bytes);
    }
  }
  return bytes;
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
    if (depth > kMaxItemDepth || text_.size() > room_) return false;
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

  std::string TakeText() { return std::move(text_); }

 private:
  bool WriteText(const PickleValue& value) {
    const std::string_view text = AsText(value.bytes().bytes);
    if (text.size() > room_ || !IsUtf8(text)) return false;
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
};

}  // namespace

bool AppendLabels(const PickleValue& value, std::vector<Label>& labels) {
  if (value.kind() == PickleKind::kNone) return true;
  if (value.kind() == PickleKind::kArray) {
    return AppendItems(value.array(), labels);
  }
  if (!value.is_sequence()) return AppendNumber(value, labels);
  for (std::size_t i = 0; i < value.size(); ++i) {
    if (!AppendNumber(value.item(i), labels)) return false;
  }
  return true;
}

void ItemFields::Begin(std::uint64_t value_bytes) {
  kept_.clear();
  room_ = kMostTimes * value_bytes + kMostMore;
}

Status ItemFields::Make(std::string_view name, const PickleValue& item,
                        DecodedField& field) {
  field = {.name = std::string(name)};
  PickleBytes data;
  if (item.kind() == PickleKind::kArray) {
    data = item.array().data;
    field.dtype = item.array().dtype;
    field.shape = item.array().shape;
  } else if (item.has_bytes()) {
    data = item.bytes();
  } else {
    return MakeNumbers(item, field);
  }
  field.bytes = data.bytes;
  field.offset = data.offset;
  return {};
}

Status ItemFields::MakeNumbers(const PickleValue& item, DecodedField& field) {
  Numbers numbers;
  if (!Collect(item, numbers)) return MakeText(item, field);
  field.dtype = numbers.real ? "<f8" : numbers.boolean ? "|b1" : "<i8";
  field.shape = numbers.shape;
  return Keep(BytesOf(numbers), field);
}

Status ItemFields::MakeText(const PickleValue& item, DecodedField& field) {
  JsonWriter json(room_);
  const bool parts = item.is_sequence() || item.kind() == PickleKind::kDict;
  if (parts && json.Write(item, 0)) return Keep(json.TakeText(), field);
  return Status(
      Code::kUnsupported,
      "item \"" + field.name.substr(0, 80) + "\" is " +
          PickleKindWithArticle(item.kind()) +
          (parts ? " with parts that JSON has not"
                 : "; fields are bytes, texts, numbers, NumPy arrays, and "
                   "lists and dicts of texts and numbers"));
}

Status ItemFields::Keep(std::string bytes, DecodedField& field) {
  if (bytes.size() > room_) {
    return Status(Code::kUnsupported,
                  "items that share their parts; pickle a copy of each");
  }
  room_ -= bytes.size();
  kept_.push_back(std::move(bytes));
  field.bytes = AsBytes(kept_.back());
  return {};
}

}  // namespace shardine
