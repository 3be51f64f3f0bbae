#include "pack/label_name_file.h"

#include <algorithm>
#include <optional>
#include <set>

#include "base/status_macros.h"
#include "pack/class_name_file.h"
#include "shard/dataset_metadata.h"
#include "source/class_label_file.h"
#include "source/line_reader.h"

namespace shardine {
namespace {

// The folder of a shard. A shard that is a folder lies in its parent.
std::string FolderOf(std::string shard) {
  while (shard.size() > 1 && shard.ends_with('/')) shard.pop_back();
  return DirectoryOf(shard);
}

}  // namespace

std::string LabelNameFileBeside(ReadableStorage& storage,
                                const std::vector<std::string>& shards) {
  if (shards.empty()) return "";
  const std::string folder = FolderOf(shards.front());
  // For files from several folders the owner of the names would be a guess.
  if (!std::ranges::all_of(shards, [&](const std::string& shard) {
        return FolderOf(shard) == folder;
      })) {
    return "";
  }
  std::string path = JoinPath(folder, std::string(kLabelNameFile));
  // An unreadable file is no error here: ReadLabelNames() reports it.
  return storage.Stat(path).status().code() == Code::kNotFound ? "" : path;
}

Result<ClassMap> ReadLabelNames(
    ReadableStorage& storage, const std::string& path,
    const std::map<std::int64_t, std::uint64_t>& label_counts) {
  SHARDINE_ASSIGN_OR_RETURN(const auto file, storage.Open(path));
  if (file->size() > kMaxClassFile) {
    return Status(Code::kCorrupt, "is longer than any list of classes")
        .At({.path = path});
  }
  LineReader reader(*file);
  ClassMap classes;
  std::set<std::string, std::less<>> names;
  while (true) {
    SHARDINE_ASSIGN_OR_RETURN(const std::optional<Line> line, reader.Next());
    if (!line) break;
    if (line->text.empty()) return reader.Error(*line, "names no class");
    if (!names.emplace(line->text).second) {
      return reader.Error(*line, "has the name of another class");
    }
    classes.push_back({.name = std::string(line->text),
                       .label = static_cast<std::int64_t>(classes.size())});
  }
  if (classes.empty()) {
    return Status(Code::kCorrupt, "names no class").At({.path = path});
  }
  SHARDINE_RETURN_IF_ERROR(
      CheckAllNamed(classes, label_counts).At({.path = path}));
  return classes;
}

}  // namespace shardine
