#include "tasks/plan_paths.h"

#include <filesystem>

#include "io/path_scheme.h"

namespace shardine {

std::string PathForAll(const Job& job, std::string path) {
  if (job.storage != nullptr || !SchemeOf(path).empty()) return path;
  while (path.starts_with("./")) path.erase(0, 2);
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  if (path.empty() || path == ".") {
    return std::filesystem::current_path().string();
  }
  return std::filesystem::absolute(path).string();
}

Status CheckPlace(const std::string& path, const std::string& folder,
                  std::string_view what, std::string_view where) {
  if (path != folder && !path.starts_with(folder + "/")) return Status();
  return Status(Code::kInvalidArgument, std::string(what) + " cannot lie in " +
                                            std::string(where) +
                                            "; choose another place")
      .At({.path = path});
}

}  // namespace shardine
