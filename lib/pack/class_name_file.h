// A file that names classes by their labels.
#ifndef SHARDINE_PACK_CLASS_NAME_FILE_H_
#define SHARDINE_PACK_CLASS_NAME_FILE_H_

#include <cstdint>
#include <map>
#include <string>

#include "io/readable_storage.h"
#include "shardine/status.h"
#include "source/class_map.h"

namespace shardine {

// Reads a file of ReadClassLabels() (source/class_label_file.h), or a .lst
// (source/list_file.h) whose keys have a folder for each label, as FolderNames
// say. By ascending label, counts zero. kCorrupt for anything else.
Result<ClassMap> ReadClassNames(ReadableStorage& storage,
                                const std::string& path);

// Names that were asked for and leave out a label are those of other classes:
// kInvalidArgument, if a label has no class in `named`.
Status CheckAllNamed(const ClassMap& named,
                     const std::map<std::int64_t, std::uint64_t>& label_counts);

// Whether `named` has each of these classes under its label.
bool AreNamed(const ClassMap& named, const ClassMap& classes);

}  // namespace shardine

#endif  // SHARDINE_PACK_CLASS_NAME_FILE_H_
