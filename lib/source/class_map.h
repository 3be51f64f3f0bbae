// The classes of a dataset: number, name, samples. Numbers are dense over the
// sorted names unless a label map or an offset says otherwise.
#ifndef SHARDINE_SOURCE_CLASS_MAP_H_
#define SHARDINE_SOURCE_CLASS_MAP_H_

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "shardine/digest.h"
#include "shardine/label.h"

namespace shardine {

struct ClassInfo {
  std::string name;  // any bytes
  std::int64_t label = 0;
  std::uint64_t count = 0;  // samples over all splits
  std::string text = {};    // for people: "tench, Tinca tinca"; often empty

  friend bool operator==(const ClassInfo&, const ClassInfo&) = default;
};

// By ascending label. Empty for sources without classes (a .lst).
using ClassMap = std::vector<ClassInfo>;

// The class of that label; nullptr: it is no integer, or no class has it.
const ClassInfo* FindClass(const ClassMap& classes, const Label& label);
// The class of the only label of a sample with these labels. nullptr if there
// is none.
const ClassInfo* FindClass(const ClassMap& classes,
                           std::span<const Label> labels);
// The first label of a sample that is no class; nullptr: each is one.
const Label* FindNoClass(const ClassMap& classes,
                         std::span<const Label> labels);

// Samples by label.
using LabelCounts = std::map<std::int64_t, std::uint64_t>;
// Counts a sample for each of its labels, once, where all are integers. Where
// some are not, the first alone counts, if it is one: the rest are values.
void CountLabels(std::span<const Label> labels, LabelCounts& counts);

// XXH3-128 over (string name, i64 label) of each class in order, little-endian,
// strings as u32 length + bytes. Counts and texts do not enter.
Digest128 ClassMapDigest(const ClassMap& classes);

}  // namespace shardine

#endif  // SHARDINE_SOURCE_CLASS_MAP_H_
