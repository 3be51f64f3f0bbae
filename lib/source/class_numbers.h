// Which class has which number: dense over sorted names, or as a label map
// file says.
#ifndef SHARDINE_SOURCE_CLASS_NUMBERS_H_
#define SHARDINE_SOURCE_CLASS_NUMBERS_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "io/readable_storage.h"
#include "shardine/status.h"
#include "source/class_map.h"
#include "source/source_list.h"

namespace shardine {

// Thread-compatible; immutable but for assignment.
class ClassNumbers {
 public:
  // No class at all.
  ClassNumbers() = default;
  // 0..n-1 in NameOrder. Names may repeat. `unite`: names that are the same in
  // NFC (base/name_form.h) are one class, which is called by it; here and below
  // they are found in any form.
  static ClassNumbers Dense(std::vector<std::string> names, bool unite = false);
  // The labels of these names. REQUIRES: no name and no label comes twice.
  static ClassNumbers Of(const ClassMap& classes, bool unite = false);
  // No class yet, and WithNames() as `unite` of Dense(), or with the numbers
  // that are the names.
  static ClassNumbers AsAsked(bool unite, bool numbered);
  // A label map file: all lines "name<TAB>label" or "name label" (any int64),
  // or all lines "name", numbered from 0 in file order. A line whose last word
  // is no integer is a name alone. kCorrupt for a mixture, a name or label
  // that comes twice, no line at all; for names alone that are columns between
  // commas ("0,ant") or begin with a header ("name").
  static Result<ClassNumbers> ReadLabelMap(ReadableStorage& storage,
                                           const std::string& path);

  // Classes of these names, by the rule that these were made with: Dense(), or
  // each with the whole number that is its name ("10", "007").
  // kInvalidArgument: a name is no such number, or two are the same number.
  Result<ClassNumbers> WithNames(std::vector<std::string> names) const;

  bool empty() const { return labels_.empty(); }
  bool unites() const { return unites_; }
  std::optional<std::int64_t> Find(std::string_view name) const;
  bool HasLabel(std::int64_t label) const { return known_.contains(label); }
  // "0..999", for messages. REQUIRES: !empty().
  std::string LabelRange() const;
  // By ascending label, counts zero.
  ClassMap Classes() const;

 private:
  // False if the name or the label exists already.
  bool Insert(std::string name, std::int64_t label);

  std::map<std::string, std::int64_t, std::less<>> labels_;
  std::unordered_set<std::int64_t> known_;
  bool unites_ = false;
  bool numbered_ = false;
};

// Says which class has another label than the whole number that is its name,
// where all names are such; empty: none has.
std::string OtherNumbers(const ClassMap& classes);

// Counts the samples of each class, one of several labels for each of them.
// kInvalidArgument (with the key): a label is no class. Samples without labels
// are fine. No-op for an empty map.
Status CountClasses(const SourceList& samples, ClassMap& classes);

}  // namespace shardine

#endif  // SHARDINE_SOURCE_CLASS_NUMBERS_H_
