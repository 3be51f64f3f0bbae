#include "source/source_file.h"

#include <algorithm>
#include <cerrno>
#include <string>

#include "base/ascii.h"

namespace shardine {
namespace {

// nullptr if it is a regular file.
const char* FaultOf(const Result<FileInfo>& info, bool is_link) {
  if (info.ok()) {
    return info->kind == FileKind::kRegular ? nullptr : "not-a-file";
  }
  const Status status = info.status();
  if (status.code() == Code::kNotFound) {
    return is_link ? "dangling-link" : "missing";
  }
  return status.system_error() == ELOOP ? "link-loop" : "unreadable";
}

}  // namespace

void AddSourceFile(ReadableStorage& storage, const SourceFile& file,
                   SourceSet& set) {
  const std::string key(file.key);
  const Result<FileInfo> info =
      storage.Stat(JoinPath(set.roots[file.root], key));
  if (const char* fault = FaultOf(info, file.is_link)) {
    set.bad.push_back({key, fault, file.root});
    return;
  }
  const std::size_t index =
      set.samples.Add(key, file.id, file.labels, file.split);
  set.samples.SetRoot(index, file.root);
  set.samples.SetFacts(index, {info->size, info->mtime_ns});
}

bool HasImageSuffix(std::string_view name) {
  constexpr std::string_view kSuffixes[] = {".jpg", ".jpeg", ".png",
                                            ".ppm", ".bmp",  ".pgm",
                                            ".tif", ".tiff", ".webp"};
  return std::any_of(
      std::begin(kSuffixes), std::end(kSuffixes), [name](auto suffix) {
        return name.size() >= suffix.size() &&
               std::equal(suffix.rbegin(), suffix.rend(), name.rbegin(),
                          [](char a, char b) { return a == LowerAscii(b); });
      });
}

}  // namespace shardine
