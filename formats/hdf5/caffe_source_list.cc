#include "hdf5/caffe_source_list.h"

#include <string>

#include "base/status_macros.h"
#include "io/atomic_file.h"
#include "io/temporary_name.h"

namespace shardine {
namespace {

constexpr std::uint64_t kMaxList = std::uint64_t{1} << 20;

// Failure: a temporary name that does not hold all of the final one.
Result<std::string> LineFor(const std::string& shard) {
  const std::string name = FileNameOf(shard);
  if (!IsTemporaryName(name)) return name + "\n";
  const auto final_name = NameOfTemporary(name);
  if (final_name) return *final_name + "\n";
  return Status(Code::kUnsupported,
                "the name of the shard is too long for a source list")
      .At({.path = shard});
}

}  // namespace

Status WriteSourceList(Storage& storage, const ShardPaths& paths) {
  SHARDINE_ASSIGN_OR_RETURN(const std::string line, LineFor(paths.shard));
  SHARDINE_ASSIGN_OR_RETURN(const auto file, storage.Create(paths.companion));
  SHARDINE_RETURN_IF_ERROR(file->Append(AsBytes(line)));
  SHARDINE_RETURN_IF_ERROR(file->Sync());
  return file->Close();
}

Status CheckSourceList(ReadableStorage& storage, const ShardPaths& paths) {
  SHARDINE_ASSIGN_OR_RETURN(const std::string text,
                            ReadFile(storage, paths.companion, kMaxList));
  SHARDINE_ASSIGN_OR_RETURN(const std::string line, LineFor(paths.shard));
  if (text == line) return {};
  return Status(Code::kCorrupt, "the source list does not name " +
                                    FileNameOf(paths.shard) + " alone")
      .At({.path = paths.companion, .offset = 0});
}

}  // namespace shardine
