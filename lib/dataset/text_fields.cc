#include "dataset/text_fields.h"

#include <algorithm>
#include <string_view>

#include "base/sized_text.h"
#include "base/utf8.h"
#include "shardine/escape.h"

namespace shardine {
namespace {

// A hostile file may call fields as it likes; no dataset has so many.
constexpr std::size_t kMostNames = 1024;

bool IsText(ByteView bytes) { return IsUtf8(AsText(bytes)); }

std::string Named(std::string_view name) {
  return "the field \"" + EscapeBytes(name) + "\"";
}

}  // namespace

Status CheckTexts(std::span<const FieldView> fields,
                  const std::vector<std::string>& texts) {
  for (const FieldView& field : fields) {
    if (field.dtype != kBytesDtype ||
        !std::ranges::binary_search(texts, field.name) || IsText(field.bytes)) {
      continue;
    }
    return Status(
        Code::kUnsupported,
        Named(field.name) + " is text, and these bytes are not UTF-8");
  }
  return Status();
}

Status TextFields::Add(std::span<const FieldView> fields) {
  for (const FieldView& field : fields) {
    if (field.is_text && (field.dtype != kBytesDtype || !IsText(field.bytes))) {
      return Status(Code::kInvalidArgument,
                    Named(field.name) + " is given as text, and is not UTF-8");
    }
    if (field.dtype != kBytesDtype) continue;
    auto known = is_text_.find(field.name);
    if (known == is_text_.end()) {
      known = is_text_.emplace(std::string(field.name), field.is_text).first;
    }
    if (known->second == field.is_text) continue;
    return Status(
        Code::kInvalidArgument,
        Named(field.name) +
            (field.is_text ? " is text, and was bytes in samples before"
                           : " is bytes, and was text in samples before"));
  }
  return Status();
}

std::vector<std::string> TextFields::names() const {
  std::vector<std::string> names;
  for (const auto& [name, is_text] : is_text_) {
    if (is_text) names.push_back(name);
  }
  return names;
}

void ScannedTexts::Add(const ScannedSample& sample) {
  for (const ScannedField& field : sample.fields) {
    if (field.dtype != kBytesDtype || field.name == kImageField) continue;
    auto counts = counts_.find(field.name);
    if (counts == counts_.end()) {
      if (counts_.size() == kMostNames) continue;
      counts = counts_.emplace(std::string(field.name), Counts()).first;
    }
    ++(field.is_text && IsText(field.bytes) ? counts->second.texts
                                            : counts->second.others);
  }
}

void ScannedTexts::Add(const ScannedTexts& other) {
  for (const auto& [name, more] : other.counts_) {
    Counts& counts = counts_[name];
    counts.texts += more.texts;
    counts.others += more.others;
  }
}

void ScannedTexts::Save(std::string& to) const {
  AppendLe(std::uint64_t{counts_.size()}, to);
  for (const auto& [name, counts] : counts_) {
    AppendSized(name, to);
    AppendLe(counts.texts, to);
    AppendLe(counts.others, to);
  }
}

bool ScannedTexts::Load(ByteCursor& from) {
  std::uint64_t count = 0;
  if (!from.Read(count) || count > kMostNames) return false;
  counts_.clear();
  for (std::uint64_t i = 0; i < count; ++i) {
    std::string name;
    if (!ReadSized(from, name)) return false;
    Counts& counts = counts_[name];
    if (!from.Read(counts.texts) || !from.Read(counts.others)) return false;
  }
  return true;
}

std::vector<std::string> ScannedTexts::names() const {
  std::vector<std::string> names;
  for (const auto& [name, counts] : counts_) {
    if (counts.texts > 0 && counts.others == 0) names.push_back(name);
  }
  return names;
}

std::vector<std::string> ScannedTexts::Warnings() const {
  std::vector<std::string> warnings;
  for (const auto& [name, counts] : counts_) {
    if (counts.texts == 0 || counts.others == 0) continue;
    warnings.push_back(Named(name) + " is no text in UTF-8 in " +
                       std::to_string(counts.others) + " of " +
                       std::to_string(counts.texts + counts.others) +
                       " samples, and comes as bytes");
  }
  return warnings;
}

}  // namespace shardine
