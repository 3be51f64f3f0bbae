#include "dataset/class_names.h"

#include <algorithm>
#include <set>

namespace shardine {

void ClassNames::Add(const ScannedSample& scanned) {
  if (scanned.labels.size() != 1 || !scanned.labels[0].is_integer()) return;
  const std::int64_t label = scanned.labels[0].integer();
  const auto known = classes_.find(label);
  if (known != classes_.end() && known->second.name == scanned.class_name &&
      known->second.text == scanned.class_text) {
    return;
  }
  Add(label,
      {std::string(scanned.class_name), std::string(scanned.class_text)});
}

void ClassNames::Add(const ClassNames& other) {
  for (const auto& [label, named] : other.classes_) Add(label, named);
  agree_ = agree_ && other.agree_;
  texts_agree_ = texts_agree_ && other.texts_agree_;
}

void ClassNames::Add(std::int64_t label, const Class& named) {
  Class& known = classes_.try_emplace(label, named).first->second;
  agree_ = agree_ && known.name == named.name;
  texts_agree_ = texts_agree_ && known.text == named.text;
  if (known.text.empty()) known.text = named.text;
}

std::optional<ClassMap> ClassNames::Classes() const {
  const auto has = [&](std::string Class::*what) {
    return std::ranges::any_of(classes_, [&](const auto& entry) {
      return !(entry.second.*what).empty();
    });
  };
  const bool named = has(&Class::name);
  if (!named && agree_ && !has(&Class::text)) return ClassMap();
  // A text that only people were to read says which class it is, too, if each
  // class has its own.
  const auto name = named ? &Class::name : &Class::text;
  ClassMap classes;
  std::set<std::string> names;
  for (const auto& [label, info] : classes_) {
    names.insert(info.*name);
    classes.push_back({info.*name, label, 0, info.text});
  }
  const bool agree = named ? agree_ : agree_ && texts_agree_;
  if (!agree || names.contains("") || names.size() != classes.size()) {
    return std::nullopt;
  }
  return classes;
}

}  // namespace shardine
