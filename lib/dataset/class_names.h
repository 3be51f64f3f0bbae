// ClassNames: the classes of shards that are indexed in place, as far as their
// records name them.
#ifndef SHARDINE_DATASET_CLASS_NAMES_H_
#define SHARDINE_DATASET_CLASS_NAMES_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "shard/format.h"
#include "source/class_map.h"

namespace shardine {

// Thread-compatible.
class ClassNames {
 public:
  void Add(const ScannedSample& scanned);
  void Add(const ClassNames& other);

  // The classes, if each label of a sample with one label has one name, and
  // each name one label; else none. Where no record has its class's name, but
  // records have its text, that is the name. Empty also if no record has
  // either.
  std::optional<ClassMap> Classes() const;

 private:
  struct Class {
    std::string name;
    std::string text;
  };

  void Add(std::int64_t label, const Class& named);

  std::map<std::int64_t, Class> classes_;
  // Names, and texts, of one label are the same in all records.
  bool agree_ = true;
  bool texts_agree_ = true;
};

}  // namespace shardine

#endif  // SHARDINE_DATASET_CLASS_NAMES_H_
