#include "dataset/class_names.h"

#include <algorithm>
#include <set>

namespace shardine {

void FolderNames::Add(std::int64_t label, std::string_view key) {
  if (!agree_) return;
  const std::size_t end =
      part_ == Part::kFirst ? key.find('/') : key.rfind('/');
  if (end == key.npos || end == 0) {
    agree_ = false;
    return;
  }
  const std::size_t slash =
      part_ == Part::kFirst ? key.npos : key.rfind('/', end - 1);
  const std::size_t begin = slash == key.npos ? 0 : slash + 1;
  const std::string_view name = key.substr(begin, end - begin);
  const auto known = names_.find(label);
  if (known == names_.end()) {
    names_.emplace(label, name);
  } else {
    agree_ = known->second == name;
  }
}

void FolderNames::Add(const FolderNames& other) {
  agree_ = agree_ && other.agree_;
  for (const auto& [label, name] : other.names_) {
    agree_ = agree_ && names_.try_emplace(label, name).first->second == name;
  }
}

ClassMap FolderNames::Classes() const {
  // One folder would fit one label whatever it means.
  if (!agree_ || names_.size() < 2) return {};
  ClassMap classes;
  std::set<std::string_view> seen;
  for (const auto& [label, name] : names_) {
    classes.push_back({name, label});
    if (name.empty() || !seen.insert(name).second) return {};
  }
  return classes;
}

void ClassNames::Add(const ScannedSample& scanned) {
  if (scanned.labels.size() != 1 || !scanned.labels[0].is_integer()) return;
  const std::int64_t label = scanned.labels[0].integer();
  if (scanned.class_name.empty()) {
    first_.Add(label, scanned.key.value_or(""));
    last_.Add(label, scanned.key.value_or(""));
  }
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
  first_.Add(other.first_);
  last_.Add(other.last_);
}

void ClassNames::Add(std::int64_t label, const Class& named) {
  Class& known = classes_.try_emplace(label, named).first->second;
  agree_ = agree_ && known.name == named.name;
  texts_agree_ = texts_agree_ && known.text == named.text;
  if (known.text.empty()) known.text = named.text;
}

bool ClassNames::Has(std::string Class::*what) const {
  return std::ranges::any_of(classes_, [&](const auto& entry) {
    return !(entry.second.*what).empty();
  });
}

// ImageFolder's class is the first folder; train/n01440764/x.JPEG has it last.
ClassMap ClassNames::Folders() const {
  ClassMap classes = first_.Classes();
  return classes.empty() ? last_.Classes() : classes;
}

bool ClassNames::named_by_folders() const {
  return agree_ && !Has(&Class::name) && !Has(&Class::text) &&
         !Folders().empty();
}

std::optional<ClassMap> ClassNames::Classes() const {
  const bool named = Has(&Class::name);
  if (!named && agree_ && !Has(&Class::text)) return Folders();
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
