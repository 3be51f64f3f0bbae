// Labels for the images of a flat folder, as ImageNet's validation set has
// them: "FILENAME LABEL" lines in any order, or just a label a line. Such a
// list (ILSVRC2012_validation_ground_truth.txt) has nothing but positions: line
// N is for the N-th file by name. A label is the name of a class or a whole
// number; a text that is both is a name.
#ifndef SHARDINE_SOURCE_VAL_LABELS_H_
#define SHARDINE_SOURCE_VAL_LABELS_H_

#include <cstdint>
#include <string>

#include "io/readable_storage.h"
#include "shardine/status.h"
#include "source/class_numbers.h"
#include "source/source_set.h"

namespace shardine {

// A flat folder in a SourceSet: files with ids first_id .. first_id + files-1
// (those in SourceSet::bad included).
struct FlatFolder {
  std::uint32_t root = 0;
  std::uint64_t first_id = 0;
  std::uint64_t files = 0;
};

// Reads the file `path` and labels the samples of `folder`. If `numbers` is
// empty and the labels of files are names, they become the classes. Errors:
// kCorrupt for a mixture of the two forms, a file name twice, a line that can
// be read in two ways or a header; kInvalidArgument for names beside numbers, a
// number of lines that is not the number of files, a file without a label, a
// label that is no class and no number, a number that is no class's, a file of
// ImageNet's whose own number differs from its line's. File names that the
// folder does not have go to set.ignored, and their number to set.notes, which
// also tells that labels were given by position.
Status ApplyValLabels(ReadableStorage& storage, const std::string& path,
                      const FlatFolder& folder, ClassNumbers& numbers,
                      SourceSet& set);

}  // namespace shardine

#endif  // SHARDINE_SOURCE_VAL_LABELS_H_
