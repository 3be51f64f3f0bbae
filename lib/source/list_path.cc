#include "source/list_path.h"

#include <algorithm>

namespace shardine {

std::string_view WithoutDots(std::string_view path) {
  while (path.starts_with("./")) {
    path.remove_prefix(2);
    // A path that begins with "./" is relative, however many slashes it has
    // there.
    while (path.starts_with('/')) path.remove_prefix(1);
  }
  return path;
}

bool HasDotDot(std::string_view path) {
  while (true) {
    const std::size_t slash = path.find('/');
    if (path.substr(0, slash) == "..") return true;
    if (slash == std::string_view::npos) return false;
    path.remove_prefix(slash + 1);
  }
}

void UseSlashes(ReadableStorage& storage, const std::string& root,
                std::string& path) {
  if (path.find('\\') == path.npos) return;
  if (storage.Stat(JoinPath(root, path)).ok()) return;
  std::ranges::replace(path, '\\', '/');
}

}  // namespace shardine
