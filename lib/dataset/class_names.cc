#include "dataset/class_names.h"

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
}

void ClassNames::Add(std::int64_t label, const Class& named) {
  Class& known = classes_.try_emplace(label, named).first->second;
  agree_ = agree_ && known.name == named.name;
  if (known.text.empty()) known.text = named.text;
}

std::optional<ClassMap> ClassNames::Classes() const {
  ClassMap classes;
  std::set<std::string> names;
  bool named = false;
  bool all_named = true;
  for (const auto& [label, info] : classes_) {
    named = named || !info.name.empty();
    all_named = all_named && !info.name.empty();
    names.insert(info.name);
    classes.push_back({info.name, label, 0, info.text});
  }
  if (!named && agree_) return ClassMap();
  if (!agree_ || !all_named || names.size() != classes.size()) {
    return std::nullopt;
  }
  return classes;
}

}  // namespace shardine
