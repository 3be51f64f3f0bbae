// Input of an extraction, and its output on the disk.
#ifndef SHARDINE_UNIT_EXTRACT_EXTRACTED_TREE_H_
#define SHARDINE_UNIT_EXTRACT_EXTRACTED_TREE_H_

#include <filesystem>
#include <map>
#include <string>

#include "io/atomic_file.h"
#include "io/local_storage.h"
#include "unit/dataset/disk_dataset.h"

namespace shardine {

// Path below `directory` -> contents; links as "-> TARGET".
inline std::map<std::string, std::string> Tree(const std::string& directory) {
  namespace fs = std::filesystem;
  std::map<std::string, std::string> files;
  if (!fs::exists(directory)) return files;
  for (const auto& entry : fs::recursive_directory_iterator(directory)) {
    const std::string name = fs::relative(entry.path().parent_path(), directory)
                                 .append(entry.path().filename().string())
                                 .lexically_normal()
                                 .string();
    if (entry.is_symlink()) {
      files[name] = "-> " + fs::read_symlink(entry.path()).string();
    } else if (entry.is_regular_file()) {
      files[name] = *ReadFile(LocalStorage(), entry.path().string(), 1 << 20);
    }
  }
  return files;
}

inline DiskSample KeyedSample(const std::string& key,
                              const std::string& image) {
  return {.id = 0, .key = key, .image = image};
}

}  // namespace shardine

#endif  // SHARDINE_UNIT_EXTRACT_EXTRACTED_TREE_H_
