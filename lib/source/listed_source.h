// A source that is a list of files below one folder.
#ifndef SHARDINE_SOURCE_LISTED_SOURCE_H_
#define SHARDINE_SOURCE_LISTED_SOURCE_H_

#include <string>

#include "io/readable_storage.h"
#include "shardine/status.h"
#include "source/class_numbers.h"
#include "source/source_set.h"

namespace shardine {

struct ListPlace {
  std::string path;  // of the list
  std::string root;  // SourceOptions::list_root
};

// Adds what the list names to `set`, in its split 0 and root 0. A path stays
// the key it is but for leading "./"; one that is absolute or has a part "..",
// and every one where the list has a root of its own to start from, is the key
// that it is below root 0, by its text: links are not looked at. kCorrupt
// (.json: kInvalidArgument) for one that is not below it: so every key names
// one file, and no list reaches what its user did not point at. Keys may come
// several times (source/repeated_paths.h).
//
// .lst, in any form of source/list_file.h: ids and labels from the columns,
// list order; a list without ids is noted.
Status LoadLstFile(ReadableStorage& storage, const ListPlace& list,
                   SourceSet& set);

// .json: entries without "id" are put into WalkLess order and numbered from 0;
// either all have one or none. Entries without labels have the class that is
// the first part of their path; where no path has two parts there are no
// classes, else a path without a class goes to set.ignored
// ("not-in-a-class"). So an index of a tree's files is as good as the tree,
// but for classes without images. `numbers`, if empty, becomes the classes
// found; otherwise it has to have them.
Status LoadJsonFile(ReadableStorage& storage, const ListPlace& list,
                    ClassNumbers& numbers, SourceSet& set);

}  // namespace shardine

#endif  // SHARDINE_SOURCE_LISTED_SOURCE_H_
