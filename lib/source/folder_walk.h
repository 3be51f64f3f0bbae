// FolderWalk: the image files below a folder, by suffix, links followed.
// Without a suffix, or with .jfif and the like, a file's first bytes decide.
// Names that begin with a dot are left out, and a link to a folder that it lies
// in ends the walk there.
#ifndef SHARDINE_SOURCE_FOLDER_WALK_H_
#define SHARDINE_SOURCE_FOLDER_WALK_H_

#include <optional>
#include <string>
#include <vector>

#include "io/readable_storage.h"
#include "shardine/status.h"
#include "source/neighbours.h"
#include "source/source_set.h"

namespace shardine {

// Thread-compatible.
class FolderWalk {
 public:
  struct File {
    std::string key;  // path relative to the root
    bool is_link = false;
  };

  // Keys are relative to `root`. Without `descend` a walk looks at a folder's
  // own entries only. `output`, if given, is not descended into. Files that are
  // fields by `fields` are no images; those in the folder of an image are
  // passed over. Metadata files go to `tables` by it. All references must
  // outlive the walk.
  FolderWalk(ReadableStorage& storage, const std::string& root, bool descend,
             std::optional<FileInfo> output = {},
             const NeighbourNames* fields = nullptr)
      : storage_(storage),
        root_(root),
        descend_(descend),
        output_(output),
        fields_(fields) {}

  // The entries of `folder` (a key, empty for the root) go to the lists below,
  // folder by folder in NameOrder. Fails for a folder that cannot be listed.
  // REQUIRES: Enter() was called for the folders above, from the root down.
  Status Walk(const std::string& folder, const FileInfo& info);

  // Makes a folder known as one that lies above those to be walked.
  void Enter(const FileInfo& info) { above_.push_back(info); }

  std::vector<std::string> folders;  // not descended into
  std::vector<File> files;           // images
  std::vector<std::string> tables;   // NeighbourNames::IsTable()
  // "hidden", "not-an-image-suffix", "link-loop", "output-folder",
  // "dataset-folder" (IsOutput(), below the root), and the reasons of
  // source/neighbours.h.
  std::vector<SourceProblem> ignored;

 private:
  void IgnoreFields();
  bool IsRegular(const std::string& key) const;
  Status Visit(const std::string& key, const DirEntry& entry);
  Status VisitFolder(const std::string& key, const FileInfo& info);

  ReadableStorage& storage_;
  const std::string& root_;
  const bool descend_;
  const std::optional<FileInfo> output_;
  const NeighbourNames* const fields_;
  bool has_images_ = false;          // the folder that is being walked
  std::vector<std::string> passed_;  // files there that are fields
  std::vector<FileInfo> above_;      // the folders from the root down to here
};

}  // namespace shardine

#endif  // SHARDINE_SOURCE_FOLDER_WALK_H_
