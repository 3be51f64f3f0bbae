// Class names of one source that are easily taken for each other, and classes
// that its splits do not share.
#ifndef SHARDINE_SOURCE_CLASS_FORM_CHECK_H_
#define SHARDINE_SOURCE_CLASS_FORM_CHECK_H_

#include <string>

#include "shardine/source.h"
#include "shardine/status.h"
#include "source/source_set.h"

namespace shardine {

// kInvalidArgument: two classes whose names differ in their Unicode form alone.
// Names that differ in their case, classes that one split has alone, and those
// that one of several lacks go to set.notes, in one line. Splits without labels
// are passed over. For each random split the line names the classes it lacks. A
// label map says which names are which classes: then names are not looked at.
// REQUIRES: all splits are made, classes are counted.
Status CheckClassForms(const SourceOptions& options, SourceSet& set);
// The same line for several datasets, which have neither a map nor random
// splits, and whose names are left as they are.
std::string NoteOfClasses(const SourceSet& set);
// The same line of random splits alone: which classes they lack; empty: none.
std::string NoteOfRandomSplits(const SourceSet& set);

}  // namespace shardine

#endif  // SHARDINE_SOURCE_CLASS_FORM_CHECK_H_
