#include "io/tree_snapshot.h"

#include <algorithm>

#include "base/status_macros.h"
#include "io/path_scheme.h"
#include "io/storage_for.h"

namespace shardine {
namespace {

std::string WithoutSlash(const std::string& path) {
  const std::size_t end = path.find_last_not_of('/');
  return path.substr(0, end == path.npos ? 0 : end + 1);
}

Status IsBoth(const std::string& path) {
  return Status(Code::kUnsupported,
                "is a file, and a folder with others as well")
      .At({.path = path});
}

}  // namespace

bool IsFileName(std::string_view name) {
  return !name.empty() && name != "." && name != ".." &&
         name.find('\0') == name.npos;
}

void TreeSnapshot::AddRoot(const std::string& folder) {
  roots_.push_back(WithoutSlash(folder));
  folders_[roots_.back()];
}

Status TreeSnapshot::AddFolders(const std::string& root,
                                std::string_view name) {
  std::string folder = root;
  for (std::size_t begin = 0;;) {
    const std::size_t end = std::min(name.find('/', begin), name.size());
    const std::string part(name.substr(begin, end - begin));
    if (!IsFileName(part)) {
      return Status(Code::kUnsupported, "has a part that is no name of a file")
          .At({.path = root + "/" + std::string(name)});
    }
    if (end == name.size()) return Status();
    std::vector<DirEntry>& entries = folders_[folder];
    folder.append("/").append(part);
    if (files_.contains(folder)) return IsBoth(folder);
    if (folders_.try_emplace(folder).second) {
      entries.push_back({.name = part, .kind = FileKind::kDirectory});
    }
    begin = end + 1;
  }
}

Status TreeSnapshot::AddFile(const std::string& root, std::string_view name,
                             std::uint64_t size, std::int64_t mtime_ns) {
  const std::string top = WithoutSlash(root);
  SHARDINE_RETURN_IF_ERROR(AddFolders(top, name));
  const std::string path = top + "/" + std::string(name);
  if (folders_.contains(path)) return IsBoth(path);
  FileInfo info;
  info.kind = FileKind::kRegular;
  info.size = size;
  info.mtime_ns = mtime_ns;
  if (files_.try_emplace(path, info).second) {
    folders_[DirectoryOf(path)].push_back(
        {.name = FileNameOf(path), .kind = FileKind::kRegular});
  }
  return Status();
}

bool TreeSnapshot::IsBelowRoot(const std::string& path) const {
  return std::ranges::any_of(roots_, [&](const std::string& root) {
    return path.starts_with(root + "/") && path.find("/..") == path.npos;
  });
}

Result<ReadableStorage*> TreeSnapshot::StorageOf(
    const std::string& path) const {
  const bool is_same =
      roots_.empty() || SchemeOf(path) == SchemeOf(roots_.front());
  if (is_same) return &storage_;
  const EnvironmentScope scope(environment_);
  return StorageFor(path);
}

Result<std::unique_ptr<RandomAccessFile>> TreeSnapshot::Open(
    const std::string& path) {
  SHARDINE_ASSIGN_OR_RETURN(ReadableStorage* const storage, StorageOf(path));
  return storage->Open(path);
}

Result<FileInfo> TreeSnapshot::Stat(const std::string& path) {
  const std::string plain = WithoutSlash(path);
  if (const auto file = files_.find(plain); file != files_.end()) {
    return file->second;
  }
  if (folders_.contains(plain)) {
    FileInfo info;
    info.kind = FileKind::kDirectory;
    return info;
  }
  if (!IsBelowRoot(plain)) {
    SHARDINE_ASSIGN_OR_RETURN(ReadableStorage* const storage, StorageOf(path));
    return storage->Stat(path);
  }
  return Status(Code::kNotFound, "there is no such file").At({.path = path});
}

Result<std::vector<DirEntry>> TreeSnapshot::List(const std::string& directory) {
  const std::string plain = WithoutSlash(directory);
  const auto folder = folders_.find(plain);
  if (folder != folders_.end()) return folder->second;
  if (!IsBelowRoot(plain)) {
    SHARDINE_ASSIGN_OR_RETURN(ReadableStorage* const storage,
                              StorageOf(directory));
    return storage->List(directory);
  }
  return Status(Code::kNotFound, "there is no such folder")
      .At({.path = directory});
}

}  // namespace shardine
