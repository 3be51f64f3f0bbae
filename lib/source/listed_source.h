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

// Adds the files of the list to `set`, in its split 0 and root 0. A path stays
// the key it is but for leading "./"; one that is absolute or has a part "..",
// and every one where the list has a root of its own to start from, is the key
// that it is below root 0, by its text: links are not looked at. kCorrupt
// (.json: kInvalidArgument) for one that is not below it: so every key names
// one file, and no list reaches files that its user did not point at. Keys may
// come several times (source/repeated_paths.h).
//
// All forms of source/sample_table.h. Ids and labels come from the columns,
// else ids count the rows. A label that is a name is one of `numbers`, if there
// are any; else the names become the classes. Rows without labels have the
// class that is the first part of their path; where no path has two parts there
// are no classes, else a path without a class goes to set.ignored
// ("not-in-a-class"). A name without a suffix means the one image that has it;
// if several have it goes to set.bad. Where no file has a path with
// backslashes, they are taken for slashes. The entries of a JSON array without
// "id" are put into WalkLess order first; either all have one or none. So an
// index of a tree's files is as good as the tree, but for classes without
// images. Names of splits divide the one split. The roles of the columns go to
// set.remarks; a note tells that a .lst has no ids.
Status LoadListedFiles(ReadableStorage& storage, const ListPlace& list,
                       ClassNumbers& numbers, SourceSet& set);

}  // namespace shardine

#endif  // SHARDINE_SOURCE_LISTED_SOURCE_H_
