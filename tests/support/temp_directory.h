// TempDirectory: a fresh directory on the local file system, removed with all
// that is in it.
#ifndef SHARDINE_SUPPORT_TEMP_DIRECTORY_H_
#define SHARDINE_SUPPORT_TEMP_DIRECTORY_H_

#include <stdlib.h>

#include <filesystem>
#include <stdexcept>
#include <string>
#include <system_error>

namespace shardine {

class TempDirectory {
 public:
  TempDirectory() {
    path_ = std::filesystem::temp_directory_path() / "shardine-test-XXXXXX";
    if (::mkdtemp(path_.data()) == nullptr) {
      throw std::runtime_error("cannot create " + path_);
    }
  }
  TempDirectory(const TempDirectory&) = delete;
  TempDirectory& operator=(const TempDirectory&) = delete;
  ~TempDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  const std::string& path() const { return path_; }
  std::string operator/(const std::string& name) const {
    return path_ + "/" + name;
  }

 private:
  std::string path_;
};

}  // namespace shardine

#endif  // SHARDINE_SUPPORT_TEMP_DIRECTORY_H_
