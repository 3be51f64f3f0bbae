#include "im2rec/image_walk.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "base/status_macros.h"
#include "im2rec/python_path.h"
#include "shardine/escape.h"

namespace shardine {

namespace {

// A directory being visited and those above it, to recognise loops of links.
// Links are followed, as im2rec.py does with os.walk(followlinks=True). A link
// to a directory above would have no end there; device and inode tell it
// whatever its path is called.
struct Ancestor {
  std::uint64_t device;
  std::uint64_t inode;
  std::shared_ptr<const Ancestor> parent;
};

struct PendingDirectory {
  std::string path;  // relative to the root; empty for the root
  std::shared_ptr<const Ancestor> parent;
};

bool IsAbove(const Ancestor* from, const FileInfo& directory) {
  for (; from != nullptr; from = from->parent.get()) {
    if (from->device == directory.device && from->inode == directory.inode) {
      return true;
    }
  }
  return false;
}

bool FitsInList(std::string_view path) {
  return path.find_first_of("\t\r\n") == std::string_view::npos &&
         PythonStrip(path).size() == path.size();
}

class Walker {
 public:
  Walker(ReadableStorage& storage, const WalkOptions& options)
      : storage_(storage), options_(options) {}

  Result<ImageWalk> Run() {
    pending_.push_back({"", nullptr});
    while (!pending_.empty()) {
      PendingDirectory next = std::move(pending_.back());
      pending_.pop_back();
      SHARDINE_RETURN_IF_ERROR(Visit(next));
    }
    return std::move(walk_);
  }

 private:
  Status Visit(const PendingDirectory& directory) {
    const std::string path = FullPath(directory.path);
    SHARDINE_ASSIGN_OR_RETURN(const FileInfo info, storage_.Stat(path));
    if (IsAbove(directory.parent.get(), info)) {
      walk_.notes.push_back(EscapeBytes(path) +
                            " links to a directory above it: not followed");
      return {};
    }
    SHARDINE_ASSIGN_OR_RETURN(std::vector<DirEntry> entries,
                              storage_.List(path));
    // The order of a directory is the file system's, and ids and labels follow
    // the walk: sorted by bytes they are the same on each machine.
    std::sort(entries.begin(), entries.end(),
              [](const auto& a, const auto& b) { return a.name < b.name; });
    const auto self = std::make_shared<const Ancestor>(
        Ancestor{info.device, info.inode, directory.parent});
    std::vector<PendingDirectory> below;
    bool labelled = false;
    for (const DirEntry& entry : entries) {
      const std::string child = PythonJoin(directory.path, entry.name);
      SHARDINE_ASSIGN_OR_RETURN(const FileKind kind, KindOf(entry, child));
      if (kind == FileKind::kDirectory) {
        if (options_.recursive) below.push_back({child, self});
      } else if (HasSuffix(entry.name)) {
        SHARDINE_RETURN_IF_ERROR(
            AddImage(directory.path, child, kind, labelled));
      }
    }
    // Last one first, since the end of the list is visited next. A stack of its
    // own, instead of recursion, so that no depth of folders can exhaust the
    // thread's.
    std::move(below.rbegin(), below.rend(), std::back_inserter(pending_));
    return {};
  }

  Status AddImage(const std::string& directory, const std::string& path,
                  FileKind kind, bool& labelled) {
    if (kind != FileKind::kRegular) {
      walk_.notes.push_back(EscapeBytes(FullPath(path)) +
                            " is not a file: not listed");
      return {};
    }
    // Fields of a list are between tabs, and both readers strip them. Such a
    // name would come back as another one, or as two fields.
    if (!FitsInList(path)) {
      return Status(Code::kUnsupported,
                    "a list cannot hold a name with a tab, a line break, or "
                    "white space at its ends: rename the file")
          .At({.path = FullPath(path)});
    }
    if (options_.recursive && !std::exchange(labelled, true)) {
      walk_.labelled.push_back(directory.empty() ? "." : directory);
    }
    const std::size_t labels = walk_.labelled.size();
    walk_.images.push_back({.id = walk_.images.size(),
                            // Without a recursive walk there are no labelled
                            // directories, and all images have label 0.
                            .label = labels == 0 ? 0 : labels - 1,
                            .path = path});
    return {};
  }

  // The kind of the entry behind its links; kSymlink when they dangle.
  Result<FileKind> KindOf(const DirEntry& entry, const std::string& path) {
    if (entry.kind != FileKind::kSymlink) return entry.kind;
    Result<FileInfo> target = storage_.Stat(FullPath(path));
    if (target.ok()) return target->kind;
    if (target.status().code() == Code::kNotFound) return entry.kind;
    return std::move(target).status();
  }

  bool HasSuffix(const std::string& name) const {
    return std::find(options_.suffixes.begin(), options_.suffixes.end(),
                     PythonSuffix(name)) != options_.suffixes.end();
  }

  std::string FullPath(const std::string& path) const {
    return path.empty() ? options_.root : PythonJoin(options_.root, path);
  }

  ReadableStorage& storage_;
  const WalkOptions& options_;
  std::vector<PendingDirectory> pending_;  // the last one is next
  ImageWalk walk_;
};

}  // namespace

Result<ImageWalk> WalkImages(ReadableStorage& storage,
                             const WalkOptions& options) {
  return Walker(storage, options).Run();
}

}  // namespace shardine
