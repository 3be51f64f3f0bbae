#include "dataset/own_path.h"

#include <algorithm>
#include <cstddef>

#include "base/status_macros.h"
#include "dataset/manifest_check.h"

namespace shardine {
namespace {

// `name` in `folder`. Stat() follows links; a listing does not.
Status CheckNoLink(ReadableStorage& storage, const std::string& folder,
                   const std::string& name) {
  const auto entries = storage.List(folder);
  if (!entries.ok()) {
    return entries.status().code() == Code::kNotFound ? Status()
                                                      : entries.status();
  }
  const auto entry = std::ranges::find(*entries, name, &DirEntry::name);
  if (entry == entries->end() || entry->kind != FileKind::kSymlink) {
    return Status();
  }
  return Status(Code::kUnsupported,
                "is a symbolic link, and nothing behind it is changed; give "
                "the folder that it leads to by its own name")
      .At({.path = JoinPath(folder, name)});
}

// All parts but the last one.
Status CheckFolders(ReadableStorage& storage, const std::string& directory,
                    const std::string& path) {
  std::string folder = directory;
  std::size_t begin = 0;
  for (std::size_t slash = path.find('/'); slash != path.npos;
       slash = path.find('/', begin)) {
    const std::string name = path.substr(begin, slash - begin);
    SHARDINE_RETURN_IF_ERROR(CheckNoLink(storage, folder, name));
    folder = JoinPath(folder, name);
    begin = slash + 1;
  }
  return Status();
}

}  // namespace

Status CheckOwnFile(ReadableStorage& storage, const std::string& directory,
                    const std::string& path) {
  if (!IsPathBelow(path)) {
    return Status(Code::kCorrupt, "does not lie below its dataset's folder")
        .At({.path = JoinPath(directory, path)});
  }
  return CheckFolders(storage, directory, path);
}

Status CheckOwnFolder(ReadableStorage& storage, const std::string& directory,
                      const std::string& path) {
  SHARDINE_RETURN_IF_ERROR(CheckOwnFile(storage, directory, path));
  return CheckFolders(storage, directory, path + "/");
}

}  // namespace shardine
