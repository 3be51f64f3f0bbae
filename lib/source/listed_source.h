// A source that is a list of files below one folder.
#ifndef SHARDINE_SOURCE_LISTED_SOURCE_H_
#define SHARDINE_SOURCE_LISTED_SOURCE_H_

#include <string>

#include "io/readable_storage.h"
#include "shardine/status.h"
#include "source/class_numbers.h"
#include "source/source_set.h"

namespace shardine {

// Adds what the list at `path` names to `set`, in its split 0 and root 0. A
// path stays the key it is but for leading "./"; one that is absolute or has a
// part ".." is the key that it is below the root, by its text: links are not
// looked at. kCorrupt (.json: kInvalidArgument) for one that is not below it.
//
// .lst, in any form of source/list_file.h: ids and labels from the columns,
// list order; a list without ids is noted.
Status LoadLstFile(ReadableStorage& storage, const std::string& path,
                   SourceSet& set);

// .json: entries without "id" are put into WalkLess order and numbered from 0;
// either all have one or none. Entries without labels have the class that is
// the first part of their path; where no path has two parts there are no
// classes, else a path without a class goes to set.ignored
// ("not-in-a-class"). So an index of a tree's files is as good as the tree,
// but for classes without images. `numbers`, if empty, becomes the classes
// found; otherwise it has to have them.
Status LoadJsonFile(ReadableStorage& storage, const std::string& path,
                    ClassNumbers& numbers, SourceSet& set);

}  // namespace shardine

#endif  // SHARDINE_SOURCE_LISTED_SOURCE_H_
