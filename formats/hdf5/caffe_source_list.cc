#include "hdf5/caffe_source_list.h"

#include <string>

#include "base/status_macros.h"
#include "io/atomic_file.h"
#include "io/temporary_name.h"

namespace shardine {
namespace {

constexpr std::uint64_t kMaxList = std::uint64_t{1} << 20;

// Failure: a temporary name that does not hold all of the final one.
Result<std::string> FinalName(const std::string& shard) {
  const std::string name = FileNameOf(shard);
  if (!IsTemporaryName(name)) return name;
  const auto final_name = NameOfTemporary(name);
  if (final_name) return *final_name;
  return Status(Code::kUnsupported,
                "the name of the shard is too long for a source list")
      .At({.path = shard});
}

Status WriteList(Storage& storage, const ShardPaths& paths,
                 const std::string& folder) {
  SHARDINE_ASSIGN_OR_RETURN(const std::string name, FinalName(paths.shard));
  const std::string line = JoinPath(folder, name) + "\n";
  SHARDINE_ASSIGN_OR_RETURN(const auto file, storage.Create(paths.companion));
  SHARDINE_RETURN_IF_ERROR(file->Append(AsBytes(line)));
  SHARDINE_RETURN_IF_ERROR(file->Sync());
  return file->Close();
}

}  // namespace

Status WriteSourceList(Storage& storage, const ShardPaths& paths,
                       const LayoutChoice& layout) {
  return WriteList(storage, paths, std::string(layout.value(kFolderParameter)));
}

Status RenameSourceList(Storage& storage, const ShardPaths& paths) {
  const auto name = NameOfTemporary(FileNameOf(paths.companion));
  if (!name) {
    return Status(Code::kUnsupported,
                  "the name of the shard is too long for a source list")
        .At({.path = paths.shard});
  }
  SHARDINE_ASSIGN_OR_RETURN(
      const std::string text,
      ReadFile(storage, JoinPath(DirectoryOf(paths.companion), *name),
               kMaxList));
  return WriteList(storage, paths, DirectoryOf(text));
}

Status CheckSourceList(ReadableStorage& storage, const ShardPaths& paths) {
  SHARDINE_ASSIGN_OR_RETURN(const std::string text,
                            ReadFile(storage, paths.companion, kMaxList));
  SHARDINE_ASSIGN_OR_RETURN(const std::string name, FinalName(paths.shard));
  const bool one_line = text.find('\n') + 1 == text.size();
  if (one_line && FileNameOf(text) == name + "\n") return {};
  return Status(Code::kCorrupt, "the source list does not name " +
                                    FileNameOf(paths.shard) + " alone")
      .At({.path = paths.companion, .offset = 0});
}

}  // namespace shardine
