#include "shard/read_roles.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/shown_name.h"
#include "shardine/escape.h"

namespace shardine {
namespace {

constexpr std::string_view kLabelAs = "label_as";
constexpr std::string_view kOneHot = "one-hot";
constexpr std::string_view kClass = "class";
constexpr char kBetweenFields = '+';

// A comma ends a parameter, and a plus a name.
std::string Spelled(std::string_view name) {
  std::string text;
  for (const char c : EscapeBytes(name)) {
    if (c == ',') {
      text += "\\x2C";
    } else if (c == kBetweenFields) {
      text += "\\x2B";
    } else {
      text += c;
    }
  }
  return text;
}

bool SetName(std::string_view value, std::string& name) {
  const auto read = UnescapeBytes(value);
  if (!read || read->empty()) return false;
  name = *read;
  return true;
}

bool SetFields(std::string_view value, FieldRoles& roles) {
  roles.fields.emplace();
  while (!value.empty()) {
    const std::string_view one = value.substr(0, value.find(kBetweenFields));
    if (!SetName(one, roles.fields->emplace_back())) return false;
    value.remove_prefix(std::min(value.size(), one.size() + 1));
  }
  return true;
}

}  // namespace

std::string ReadRoles::text() const {
  std::string text;
  const auto add = [&](std::string_view name, std::string_view value) {
    if (!text.empty()) text += ',';
    text.append(name).append("=").append(value);
  };
  if (!image.empty()) add("image", Spelled(image));
  if (!label.empty()) add("label", Spelled(label));
  if (one_hot) add(kLabelAs, kOneHot);
  if (text_label == TextLabel::kClass) add(kLabelAs, kClass);
  if (!key.empty()) add("key", Spelled(key));
  if (!fields) return text;
  std::string names;
  for (const std::string& name : *fields) {
    if (!names.empty()) names += kBetweenFields;
    names += Spelled(name);
  }
  add("fields", names);
  return text;
}

bool ReadRoles::Set(std::string_view parameter) {
  const std::size_t equals = parameter.find('=');
  if (equals == parameter.npos) return false;
  const std::string_view name = parameter.substr(0, equals);
  const std::string_view value = parameter.substr(equals + 1);
  if (name == "image") return SetName(value, image);
  if (name == "label") return SetName(value, label);
  if (name == "key") return SetName(value, key);
  if (name == "fields") return SetFields(value, *this);
  if (name != kLabelAs) return false;
  one_hot = value == kOneHot;
  if (value == kClass) text_label = TextLabel::kClass;
  return one_hot || value == kClass;
}

Status ReadRoles::Check() const {
  const auto same = [](const std::string& a, const std::string& b) {
    return !a.empty() && a == b;
  };
  const std::string* twice = nullptr;
  if (same(image, label) || same(image, key)) twice = &image;
  if (same(label, key)) twice = &label;
  if (twice != nullptr) {
    return Status(Code::kInvalidArgument,
                  "the field " + ShowName(*twice) + " has two roles");
  }
  if (label.empty() && (one_hot || text_label == TextLabel::kClass)) {
    return Status(Code::kInvalidArgument,
                  "a one-hot label has no effect without the name of a label");
  }
  return {};
}

}  // namespace shardine
