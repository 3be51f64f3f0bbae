// Names of classes for people, from a file: "n01440764 \t tench, Tinca tinca" a
// line, as ImageNet's list of synsets is.
#ifndef SHARDINE_SOURCE_CLASS_TEXT_H_
#define SHARDINE_SOURCE_CLASS_TEXT_H_

#include <string>

#include "io/readable_storage.h"
#include "shardine/status.h"
#include "source/class_map.h"

namespace shardine {

// Sets the texts of the classes that the file names; it may name others, too.
// kCorrupt, with path and line, for a line without a tab or a name that comes
// twice; kInvalidArgument if it names no class.
Status ApplyClassText(ReadableStorage& storage, const std::string& path,
                      ClassMap& classes);

}  // namespace shardine

#endif  // SHARDINE_SOURCE_CLASS_TEXT_H_
