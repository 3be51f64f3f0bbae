// ClassNames: the classes of shards that are indexed in place, as far as their
// records name them.
#ifndef SHARDINE_DATASET_CLASS_NAMES_H_
#define SHARDINE_DATASET_CLASS_NAMES_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "shard/format.h"
#include "source/class_map.h"

namespace shardine {

// Names of labels that one part of each key gives: its first folder, as
// ImageFolder has it, or else the folder that the file lies in, as of
// train/n01440764/x.JPEG. Thread-compatible.
class FolderNames {
 public:
  void Add(std::int64_t label, std::string_view key);
  void Add(const FolderNames& other);

  // By ascending label. Empty unless each key has that folder, each label one
  // of them, and each of them one label. Empty also for one label alone, whose
  // folder may be any.
  ClassMap Classes() const;

  // As ClassNames::Save() and Load().
  void Save(std::string& to) const;
  [[nodiscard]] bool Load(ByteCursor& from);

 private:
  // By that part of the keys.
  struct Names {
    void Add(std::int64_t label, std::string_view name);
    void Add(const Names& other);
    ClassMap Classes() const;
    void Save(std::string& to) const;
    bool Load(ByteCursor& from);

    std::map<std::int64_t, std::string> by_label;
    bool agree = true;
  };

  Names first_;
  Names last_;
};

// Thread-compatible.
class ClassNames {
 public:
  void Add(const ScannedSample& scanned);
  void Add(const ClassNames& other);

  // The classes, if each label of a sample with one label has one name, and
  // each name one label; else none. Where no record has its class's name, but
  // records have its text, that is the name. Where no record has either they
  // are the folders in the keys, under the same condition; else empty.
  std::optional<ClassMap> Classes() const;
  // Whether folders name the classes, since nothing else does.
  bool named_by_folders() const;

  // Appends all of it for Load(), which replaces it. False: the bytes are not
  // from Save(), and its contents are undefined.
  void Save(std::string& to) const;
  [[nodiscard]] bool Load(ByteCursor& from);

 private:
  struct Class {
    std::string name;
    std::string text;
  };

  void Add(std::int64_t label, const Class& named);
  bool Has(std::string Class::*what) const;

  std::map<std::int64_t, Class> classes_;
  // Names, and texts, of one label are the same in all records.
  bool agree_ = true;
  bool texts_agree_ = true;
  FolderNames folders_;
};

}  // namespace shardine

#endif  // SHARDINE_DATASET_CLASS_NAMES_H_
