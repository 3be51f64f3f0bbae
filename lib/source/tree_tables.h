// Metadata files of a tree: tables beside or above the images, as Hugging
// Face's ImageFolder has them. The column that names the file starts from the
// table's folder.
#ifndef SHARDINE_SOURCE_TREE_TABLES_H_
#define SHARDINE_SOURCE_TREE_TABLES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "io/readable_storage.h"
#include "shardine/source.h"
#include "shardine/status.h"
#include "source/class_numbers.h"
#include "source/place_index.h"
#include "source/source_set.h"

namespace shardine {

// The names of metadata files in folders of a tree.
std::vector<std::string> TreeTableNames(const SourceOptions& options);

struct TreeTable {
  std::uint32_t root = 0;  // into SourceSet::roots
  std::string key;         // the path below it
};

// The files that metadata files name beside the images (source/other_files.h),
// ascending. `set` has the samples, files among them.
Result<std::vector<PlaceInTree>> FilesOfTables(
    ReadableStorage& storage, const SourceOptions& options,
    const std::vector<TreeTable>& tables, SourceSet& set);

// Adds labels and fields from the metadata files of a tree whose samples are in
// `set`, with labels by `numbers`. Splits that are folders beside each other
// have the files of the folder above, too. The nearest file of an image's
// folder is the one that counts. Columns are those of source/sample_table.h,
// but for `id`, which is a field, and `split`, which must be the one of the
// folder.
//
// Class folders keep their labels, and a row with another one is an error.
// Where one folder alone is a class, or none, labels of rows take their place;
// names are numbered as `asked` does. The set lists rows without an image
// ("row-without-image"), rows of an image with a nearer file
// ("metadata-nearer"), and images without a row ("metadata-missing").
//
// kInvalidArgument, kCorrupt or kUnsupported, with the file and its line, and a
// message that ends with AddTableNote()'s: a path that is absolute, has a part
// ".." or "://"; a second row of one image; a name without a suffix that
// several images have; another label, or split, than the folder's; a file of
// which no row matches; two files in one folder; ReadListTable().
Status AddTreeTables(ReadableStorage& storage, const SourceOptions& options,
                     std::vector<TreeTable> tables, const ClassNumbers& asked,
                     ClassNumbers& numbers, SourceSet& set);

// Adds to a failure that metadata files are read.
Status AddTableNote(Status status);

}  // namespace shardine

#endif  // SHARDINE_SOURCE_TREE_TABLES_H_
