#include "source/folder_walk.h"

#include <algorithm>
#include <utility>

#include "base/status_macros.h"
#include "source/name_order.h"
#include "source/output_place.h"
#include "source/source_file.h"

namespace shardine {
namespace {

Result<std::vector<DirEntry>> SortedList(ReadableStorage& storage,
                                         const std::string& path) {
  auto entries = storage.List(path);
  if (!entries.ok()) return std::move(entries).status().At({.path = path});
  std::sort(entries->begin(), entries->end(),
            [](const DirEntry& a, const DirEntry& b) {
              return NameLess(a.name, b.name);
            });
  return entries;
}

}  // namespace

Status FolderWalk::Walk(const std::string& folder, const FileInfo& info) {
  above_.push_back(info);
  SHARDINE_ASSIGN_OR_RETURN(
      const std::vector<DirEntry> entries,
      SortedList(storage_, folder.empty() ? root_ : JoinPath(root_, folder)));
  // A folder that shardine made holds no images of the source.
  if (!folder.empty() &&
      std::ranges::any_of(entries, NamesOutput, &DirEntry::name)) {
    ignored.push_back({folder, "dataset-folder"});
    above_.pop_back();
    return Status();
  }
  const bool has_above = std::exchange(has_images_, false);
  std::vector<std::string> passed_above = std::exchange(passed_, {});
  for (const DirEntry& entry : entries) {
    SHARDINE_RETURN_IF_ERROR(Visit(JoinPath(folder, entry.name), entry));
  }
  IgnoreFields();
  has_images_ = has_above;
  passed_ = std::move(passed_above);
  above_.pop_back();
  return Status();
}

// AddNeighbours() looks at the folders of samples, which those of loose images
// beside class folders are not.
void FolderWalk::IgnoreFields() {
  const bool has_samples = has_images_ && (descend_ || folders.empty());
  for (std::string& key : std::exchange(passed_, {})) {
    if (has_samples) continue;
    const char* const reason = fields_->ReasonAlone(key);
    ignored.push_back({std::move(key), reason});
  }
}

Status FolderWalk::Visit(const std::string& key, const DirEntry& entry) {
  if (entry.name.starts_with('.')) {
    ignored.push_back({key, "hidden"});
    return Status();
  }
  // A directory entry does not say where a link leads.
  if (entry.kind != FileKind::kRegular) {
    const auto info = storage_.Stat(JoinPath(root_, key));
    if (info.ok() && info->kind == FileKind::kDirectory) {
      return VisitFolder(key, *info);
    }
    if (entry.kind == FileKind::kDirectory) return info.status();
  }
  if (fields_ != nullptr && fields_->IsFile(root_, key)) return Status();
  const bool by_content = MayBeImage(entry.name) &&
                          IsImageByContent(storage_, JoinPath(root_, key));
  if (!by_content && fields_ != nullptr) {
    // A FIFO of the name would keep its reader waiting.
    if (fields_->IsTable(entry.name) &&
        (entry.kind == FileKind::kRegular || IsRegular(key))) {
      tables.push_back(key);
      return Status();
    }
    if (fields_->IsOfPair(key)) return Status();
    if (fields_->IsByStem(entry.name)) {
      passed_.push_back(key);
      return Status();
    }
  }
  if (by_content || HasImageSuffix(entry.name)) {
    has_images_ = true;
    files.push_back({key, entry.kind == FileKind::kSymlink});
  } else {
    ignored.push_back({key, "not-an-image-suffix"});
  }
  return Status();
}

bool FolderWalk::IsRegular(const std::string& key) const {
  const auto info = storage_.Stat(JoinPath(root_, key));
  return info.ok() && info->kind == FileKind::kRegular;
}

Status FolderWalk::VisitFolder(const std::string& key, const FileInfo& info) {
  const auto is = [&info](const FileInfo& at) { return IsSameFile(at, info); };
  if (!descend_ && fields_ != nullptr &&
      (fields_->IsPairFolder(key) || fields_->IsFileFolder(root_, key))) {
    return Status();
  }
  if (output_ && is(*output_)) {
    ignored.push_back({key, "output-folder"});
  } else if (std::any_of(above_.begin(), above_.end(), is)) {
    ignored.push_back({key, "link-loop"});
  } else if (descend_) {
    return Walk(key, info);
  } else {
    SHARDINE_ASSIGN_OR_RETURN(const bool is_output,
                              IsOutput(storage_, JoinPath(root_, key)));
    if (is_output) {
      ignored.push_back({key, "dataset-folder"});
    } else {
      folders.push_back(key);
    }
  }
  return Status();
}

}  // namespace shardine
