#include "source/image_folder.h"

#include <algorithm>
#include <span>
#include <utility>

#include "base/check.h"
#include "base/status_macros.h"
#include "source/name_order.h"
#include "source/source_file.h"

namespace shardine {
namespace {

bool IsUsualSplit(const std::string& name) {
  return name == "train" || name == "val" || name == "valid" ||
         name == "validation" || name == "test";
}

Status RefuseSplits(const std::string& path,
                    const std::vector<std::string>& folders) {
  std::string hint;
  for (const std::string& name : folders) {
    hint += " " + name + "=" + JoinPath(path, name);
  }
  return Status(Code::kInvalidArgument,
                "its folders are splits, not classes; pass them one by one:" +
                    hint)
      .At({.path = path});
}

}  // namespace

Result<ImageFolder> ImageFolder::Open(ReadableStorage& storage,
                                      std::string path,
                                      const NeighbourNames* fields) {
  ImageFolder tree(storage, std::move(path), fields);
  auto info = storage.Stat(tree.path_);
  if (!info.ok()) return std::move(info).status().At({.path = tree.path_});
  tree.info_ = *info;
  FolderWalk top(storage, tree.path_, /*descend=*/false, {}, fields);
  SHARDINE_RETURN_IF_ERROR(top.Walk("", tree.info_));
  const std::vector<std::string>& folders = top.folders;
  if (!folders.empty() &&
      std::all_of(folders.begin(), folders.end(), IsUsualSplit)) {
    return RefuseSplits(tree.path_, folders);
  }
  tree.classes_ = std::move(top.folders);
  tree.loose_ = std::move(top.files);
  tree.ignored_ = std::move(top.ignored);
  tree.tables_ = std::move(top.tables);
  if (!tree.classes_.empty()) {
    for (File& file : std::exchange(tree.loose_, {})) {
      tree.ignored_.push_back({std::move(file.key), "not-in-a-class"});
    }
  }
  return tree;
}

Status ImageFolder::Walk(const ClassNumbers& numbers,
                         WalkTarget& target) const {
  Report(ignored_, target);
  AddTables(tables_, target);
  AddFiles(loose_, {}, target);
  for (const std::string& name : classes_) {
    const std::optional<std::int64_t> number = numbers.Find(name);
    SHARDINE_CHECK(number.has_value());
    auto info = storage_->Stat(JoinPath(path_, name));
    if (!info.ok()) return std::move(info).status();
    FolderWalk walker(*storage_, path_, /*descend=*/true, {}, fields_);
    walker.Enter(info_);
    SHARDINE_RETURN_IF_ERROR(walker.Walk(name, *info));
    Report(walker.ignored, target);
    AddTables(walker.tables, target);
    if (walker.files.empty()) Report({{name, "empty-class"}}, target);
    std::sort(
        walker.files.begin(), walker.files.end(),
        [](const File& a, const File& b) { return WalkLess(a.key, b.key); });
    const Label label(*number);
    AddFiles(walker.files, std::span(&label, 1), target);
  }
  return Status();
}

void ImageFolder::AddFiles(const std::vector<File>& files,
                           std::span<const Label> labels,
                           WalkTarget& target) const {
  for (const File& file : files) {
    const SourceFile next{file.key,     target.next_id++, labels,
                          target.split, target.root,      file.is_link};
    AddSourceFile(*storage_, next, *target.set);
  }
}

void ImageFolder::Report(const std::vector<SourceProblem>& problems,
                         WalkTarget& target) {
  for (const SourceProblem& problem : problems) {
    target.set->ignored.push_back({problem.key, problem.reason, target.root});
  }
}

void ImageFolder::AddTables(const std::vector<std::string>& tables,
                            WalkTarget& target) {
  for (const std::string& key : tables) {
    target.tables.push_back({target.root, key});
  }
}

}  // namespace shardine
