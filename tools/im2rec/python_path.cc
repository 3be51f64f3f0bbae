#include "im2rec/python_path.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <vector>

#include "base/ascii.h"

namespace shardine {

namespace {

std::vector<std::string_view> Components(std::string_view path, bool absolute) {
  std::vector<std::string_view> kept;
  while (!path.empty()) {
    const std::size_t slash = std::min(path.find('/'), path.size());
    const std::string_view part = path.substr(0, slash);
    path.remove_prefix(std::min(slash + 1, path.size()));
    if (part.empty() || part == ".") continue;
    if (part != "..") {
      kept.push_back(part);
    } else if (!kept.empty() && kept.back() != "..") {
      kept.pop_back();
    } else if (!absolute) {
      kept.push_back(part);
    }
  }
  return kept;
}

// Exactly two leading slashes are kept: POSIX gives them a meaning of their
// own.
std::string_view LeadingSlashes(std::string_view path) {
  if (!path.starts_with('/')) return "";
  return path.starts_with("//") && !path.starts_with("///") ? "//" : "/";
}

bool IsStripped(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r') || (c >= '\x1c' && c <= '\x1f');
}

}  // namespace

std::string PythonJoin(std::string_view directory, std::string_view name) {
  if (name.starts_with('/')) return std::string(name);
  std::string joined(directory);
  if (!joined.empty() && !joined.ends_with('/')) joined += '/';
  return joined.append(name);
}

std::string PythonNormPath(std::string_view path) {
  const std::string_view root = LeadingSlashes(path);
  std::string normal(root);
  for (const std::string_view part : Components(path, !root.empty())) {
    if (normal.size() > root.size()) normal += '/';
    normal += part;
  }
  return normal.empty() ? "." : normal;
}

Result<std::string> PythonAbsPath(std::string_view path) {
  if (path.starts_with('/')) return PythonNormPath(path);
  std::error_code error;
  const std::string here = std::filesystem::current_path(error).string();
  if (error) {
    return Status::FromErrno(error.value(), "find the working directory", "");
  }
  return PythonNormPath(PythonJoin(here, path));
}

std::string PythonSuffix(std::string_view file_name) {
  const std::size_t start = file_name.find_first_not_of('.');
  const std::size_t dot = file_name.rfind('.');
  if (start == std::string_view::npos || dot == std::string_view::npos ||
      dot < start) {
    return "";
  }
  return LowerAscii(file_name.substr(dot));
}

std::string_view PythonStrip(std::string_view text) {
  while (!text.empty() && IsStripped(text.front())) text.remove_prefix(1);
  while (!text.empty() && IsStripped(text.back())) text.remove_suffix(1);
  return text;
}

}  // namespace shardine
