// ImageFolder: a tree read as torchvision's ImageFolder reads it. The folders
// at its top are the classes, whatever lies below them with an image suffix is
// a sample; symbolic links are followed. Differences, all of them reported:
// names that begin with a dot are left out, and a link to a folder that it
// lies in ends the walk there.
#ifndef SHARDINE_SOURCE_IMAGE_FOLDER_H_
#define SHARDINE_SOURCE_IMAGE_FOLDER_H_

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "io/readable_storage.h"
#include "shardine/status.h"
#include "source/class_numbers.h"
#include "source/folder_walk.h"
#include "source/source_set.h"
#include "source/tree_tables.h"

namespace shardine {

// Where the samples of a tree go. set->roots[root] is the tree's folder.
struct WalkTarget {
  SourceSet* set = nullptr;
  std::uint32_t split = 0;
  std::uint32_t root = 0;
  std::uint64_t next_id = 0;           // of the next file; moved on by the walk
  std::vector<TreeTable> tables = {};  // the metadata files found
};

// Thread-compatible.
class ImageFolder {
 public:
  // Looks at the top of the tree. `storage` must outlive the result. Errors:
  // the folder cannot be listed, or its only folders are those of splits.
  // `fields`, if given, is FolderWalk's and must outlive the result, too.
  static Result<ImageFolder> Open(ReadableStorage& storage, std::string path,
                                  const NeighbourNames* fields = nullptr);

  // In NameOrder, empty ones included.
  const std::vector<std::string>& classes() const { return classes_; }
  // Images at the top and no class folders: samples without labels.
  bool flat() const { return classes_.empty() && !loose_.empty(); }

  // Walks the tree and adds its images to *target.set, each sample with the
  // number of its class, and its metadata files to target.tables. REQUIRES:
  // `numbers` has all classes(), or is empty for a flat folder. Fails for a
  // folder below that cannot be listed.
  Status Walk(const ClassNumbers& numbers, WalkTarget& target) const;

 private:
  using File = FolderWalk::File;

  void AddFiles(const std::vector<File>& files, std::span<const Label> labels,
                WalkTarget& target) const;
  static void Report(const std::vector<SourceProblem>& problems,
                     WalkTarget& target);
  static void AddTables(const std::vector<std::string>& tables,
                        WalkTarget& target);

  ImageFolder(ReadableStorage& storage, std::string path,
              const NeighbourNames* fields)
      : storage_(&storage), path_(std::move(path)), fields_(fields) {}

  ReadableStorage* storage_;
  std::string path_;
  const NeighbourNames* fields_;
  FileInfo info_;  // of the root
  std::vector<std::string> classes_;
  std::vector<File> loose_;             // images at the top, in NameOrder
  std::vector<SourceProblem> ignored_;  // at the top
  std::vector<std::string> tables_;     // at the top
};

}  // namespace shardine

#endif  // SHARDINE_SOURCE_IMAGE_FOLDER_H_
