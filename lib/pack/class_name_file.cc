#include "pack/class_name_file.h"

#include <algorithm>
#include <utility>

#include "base/status_macros.h"
#include "dataset/class_names.h"
#include "source/class_label_file.h"
#include "source/list_file.h"

namespace shardine {
namespace {

Status Wrong(const std::string& message) {
  return Status(Code::kCorrupt, message);
}

// A .lst has id, labels and key between tabs; a line of a label map has one
// tab.
bool IsList(std::string_view text) {
  const std::string_view line = text.substr(0, text.find('\n'));
  return std::ranges::count(line, '\t') >= 2;
}

Result<ClassMap> ReadList(ReadableStorage& storage, const std::string& path) {
  SHARDINE_ASSIGN_OR_RETURN(const auto file, storage.Open(path));
  ListReader reader(*file);
  FolderNames folders;
  ListEntry entry;
  while (true) {
    SHARDINE_ASSIGN_OR_RETURN(const bool found, reader.Next(entry));
    if (!found) break;
    if (entry.labels.size() != 1 || !entry.labels[0].is_integer()) {
      return reader.Error(entry, "has no single whole number as its label");
    }
    folders.Add(entry.labels[0].integer(), entry.path);
  }
  ClassMap classes = folders.Classes();
  if (!classes.empty()) return classes;
  return Wrong("is a list whose keys have no folder for each label")
      .At({.path = path});
}

}  // namespace

Result<ClassMap> ReadClassNames(ReadableStorage& storage,
                                const std::string& path) {
  SHARDINE_ASSIGN_OR_RETURN(const std::string text,
                            ReadFile(storage, path, kMaxClassFile));
  if (!IsLikeJson(text) && IsList(text)) return ReadList(storage, path);
  return ReadClassLabels(storage, path);
}

Status CheckAllNamed(
    const ClassMap& named,
    const std::map<std::int64_t, std::uint64_t>& label_counts) {
  for (const auto& [label, samples] : label_counts) {
    if (std::ranges::binary_search(named, label, {}, &ClassInfo::label)) {
      continue;
    }
    return Status(Code::kInvalidArgument,
                  "names no class " + std::to_string(label) +
                      ", the label of " + std::to_string(samples) + " samples");
  }
  return Status();
}

bool AreNamed(const ClassMap& named, const ClassMap& classes) {
  return std::ranges::all_of(classes, [&](const ClassInfo& info) {
    const auto found =
        std::ranges::lower_bound(named, info.label, {}, &ClassInfo::label);
    return found != named.end() && found->label == info.label &&
           found->name == info.name;
  });
}

}  // namespace shardine
