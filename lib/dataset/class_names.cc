#include "dataset/class_names.h"

#include <algorithm>
#include <set>

#include "base/sized_text.h"

namespace shardine {

// `name`: empty if the key has no such folder.
void FolderNames::Names::Add(std::int64_t label, std::string_view name) {
  if (!agree) return;
  const auto known = by_label.find(label);
  if (known == by_label.end()) by_label.emplace(label, name);
  agree = !name.empty() && (known == by_label.end() || known->second == name);
}

void FolderNames::Names::Add(const Names& other) {
  agree = agree && other.agree;
  for (const auto& [label, name] : other.by_label) {
    agree = agree && by_label.try_emplace(label, name).first->second == name;
  }
}

ClassMap FolderNames::Names::Classes() const {
  // One folder would fit one label whatever it means.
  if (!agree || by_label.size() < 2) return {};
  ClassMap classes;
  std::set<std::string_view> seen;
  for (const auto& [label, name] : by_label) {
    classes.push_back({name, label});
    if (!seen.insert(name).second) return {};
  }
  return classes;
}

void FolderNames::Names::Save(std::string& to) const {
  AppendLe(std::uint8_t{agree}, to);
  AppendLe(std::uint64_t{by_label.size()}, to);
  for (const auto& [label, name] : by_label) {
    AppendLe(label, to);
    AppendSized(name, to);
  }
}

bool FolderNames::Names::Load(ByteCursor& from) {
  std::uint8_t agreed = 0;
  std::uint64_t count = 0;
  if (!from.Read(agreed) || !from.Read(count)) return false;
  agree = agreed != 0;
  by_label.clear();
  for (std::uint64_t i = 0; i < count; ++i) {
    std::int64_t label = 0;
    if (!from.Read(label) || !ReadSized(from, by_label[label])) return false;
  }
  return true;
}

void FolderNames::Save(std::string& to) const {
  first_.Save(to);
  last_.Save(to);
}

bool FolderNames::Load(ByteCursor& from) {
  return first_.Load(from) && last_.Load(from);
}

void FolderNames::Add(std::int64_t label, std::string_view key) {
  const std::size_t first = std::min(key.find('/'), key.size());
  first_.Add(label, first == key.size() ? "" : key.substr(0, first));
  const std::size_t last = key.rfind('/');
  const std::string_view folders = key.substr(0, last == key.npos ? 0 : last);
  last_.Add(label, folders.substr(folders.rfind('/') + 1));
}

void FolderNames::Add(const FolderNames& other) {
  first_.Add(other.first_);
  last_.Add(other.last_);
}

ClassMap FolderNames::Classes() const {
  ClassMap classes = first_.Classes();
  return classes.empty() ? last_.Classes() : classes;
}

void ClassNames::Add(const ScannedSample& scanned) {
  if (scanned.labels.size() != 1 || !scanned.labels[0].is_integer()) return;
  const std::int64_t label = scanned.labels[0].integer();
  if (scanned.class_name.empty()) {
    folders_.Add(label, scanned.key.value_or(""));
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
  folders_.Add(other.folders_);
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

bool ClassNames::named_by_folders() const {
  return agree_ && !Has(&Class::name) && !Has(&Class::text) &&
         !folders_.Classes().empty();
}

void ClassNames::Save(std::string& to) const {
  AppendLe(std::uint8_t{agree_}, to);
  AppendLe(std::uint8_t{texts_agree_}, to);
  AppendLe(std::uint64_t{classes_.size()}, to);
  for (const auto& [label, named] : classes_) {
    AppendLe(label, to);
    AppendSized(named.name, to);
    AppendSized(named.text, to);
  }
  folders_.Save(to);
}

bool ClassNames::Load(ByteCursor& from) {
  std::uint8_t agree = 0;
  std::uint8_t texts_agree = 0;
  std::uint64_t count = 0;
  if (!from.Read(agree) || !from.Read(texts_agree) || !from.Read(count)) {
    return false;
  }
  agree_ = agree != 0;
  texts_agree_ = texts_agree != 0;
  classes_.clear();
  for (std::uint64_t i = 0; i < count; ++i) {
    std::int64_t label = 0;
    if (!from.Read(label)) return false;
    Class& named = classes_[label];
    if (!ReadSized(from, named.name) || !ReadSized(from, named.text)) {
      return false;
    }
  }
  return folders_.Load(from);
}

std::optional<ClassMap> ClassNames::Classes() const {
  const bool named = Has(&Class::name);
  if (!named && agree_ && !Has(&Class::text)) return folders_.Classes();
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
