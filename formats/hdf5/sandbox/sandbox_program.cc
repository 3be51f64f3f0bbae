#include "hdf5/sandbox/sandbox_program.h"

#include <dlfcn.h>
#include <link.h>
#include <unistd.h>

#include <climits>
#include <string_view>

#include "io/storage.h"
#include "shardine/environment.h"

namespace shardine {
namespace {

constexpr std::string_view kName = "shardine-hdf5-scan";

// The folder of the file that this code is in; "" if there is no telling.
std::string OwnFolder() {
  Dl_info info{};
  void* entry = nullptr;
  const auto here = reinterpret_cast<const void*>(&FindSandboxProgram);
  if (dladdr1(here, &info, &entry, RTLD_DL_LINKMAP) == 0) return {};
  // The program itself has no name in the list of loaded objects, and its
  // argv[0] may name any file.
  const char* name = static_cast<const link_map*>(entry)->l_name;
  char path[PATH_MAX];
  if (realpath(*name == '\0' ? "/proc/self/exe" : name, path) == nullptr) {
    return {};
  }
  return DirectoryOf(path);
}

bool IsBinFolder(const std::string& folder) {
  return folder.ends_with("/" SHARDINE_INSTALL_BIN);
}

}  // namespace

std::vector<std::string> SandboxProgramPlaces(const std::string& own) {
  std::vector<std::string> folders;
  if (!own.empty()) folders.push_back(JoinPath(own, "libexec/shardine"));
  if (IsBinFolder(own)) {
    folders.push_back(JoinPath(own, SHARDINE_BIN_TO_LIBEXEC));
  }
  // A wheel is installed wherever its user wants it.
  const std::string_view installed = SHARDINE_INSTALL_LIBEXEC;
  if (!installed.empty()) folders.emplace_back(installed);
  for (std::string& folder : folders) {
    folder = JoinPath(folder, std::string(kName));
  }
  return folders;
}

Result<std::string> FindSandboxProgram() {
  const std::string folder = Environment::Latest().Of("SHARDINE_LIBEXEC_DIR");
  if (!folder.empty()) return JoinPath(folder, std::string(kName));
  std::string places;
  for (const std::string& path : SandboxProgramPlaces(OwnFolder())) {
    if (access(path.c_str(), F_OK) == 0) return path;
    places += (places.empty() ? "" : ", ") + path;
  }
  return Status(Code::kFailed,
                "HDF5 files are read by the program " + std::string(kName) +
                    ", which is in none of its places (" + places +
                    "): install shardine again, or set "
                    "SHARDINE_LIBEXEC_DIR to its folder");
}

}  // namespace shardine
