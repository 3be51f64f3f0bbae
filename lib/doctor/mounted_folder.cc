#include "doctor/mounted_folder.h"

#include <sys/statvfs.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string_view>
#include <system_error>

namespace shardine {
namespace {

// The kernel writes blanks, tabs, line feeds and `\` of a path as "\040".
std::string Unescaped(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\' || text.size() - i < 4) {
      plain += text[i];
      continue;
    }
    plain += static_cast<char>((text[i + 1] - '0') * 64 +
                               (text[i + 2] - '0') * 8 + (text[i + 3] - '0'));
    i += 3;
  }
  return plain;
}

bool IsAbove(const std::string& mount, const std::string& path) {
  return mount == "/" || path == mount || path.starts_with(mount + "/");
}

std::string ReadMounts() {
  std::ostringstream text;
  text << std::ifstream("/proc/self/mountinfo").rdbuf();
  return text.str();
}

}  // namespace

std::string FileSystemOf(const std::string& mountinfo,
                         const std::string& path) {
  std::string type;
  std::size_t longest = 0;
  std::istringstream lines(mountinfo);
  // "36 35 98:0 /root /mount rw,noatime master:1 - ext4 /dev/root rw", with any
  // number of words before the dash.
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string mount;
    for (int i = 0; i < 5; ++i) words >> mount;
    std::string word;
    while (words >> word && word != "-") continue;
    mount = Unescaped(mount);
    if (!(words >> word) || mount.size() < longest || !IsAbove(mount, path)) {
      continue;
    }
    longest = mount.size();
    type = word;
  }
  return type;
}

MachineFolder DescribeFolder(const std::string& use, const std::string& path) {
  std::error_code failed;  // a fact not found out stays unknown
  std::filesystem::path there = std::filesystem::absolute(path, failed);
  MachineFolder folder;
  folder.use = use;
  folder.path = there.lexically_normal().string();
  // The path "." leaves a slash at the end.
  if (folder.path.size() > 1 && folder.path.ends_with('/')) {
    folder.path.pop_back();
  }
  folder.exists = std::filesystem::is_directory(there, failed);
  while (!std::filesystem::is_directory(there, failed) &&
         there.has_relative_path()) {
    there = there.parent_path();
  }
  struct statvfs room;
  if (::statvfs(there.c_str(), &room) == 0) {
    folder.bytes = std::uint64_t{room.f_blocks} * room.f_frsize;
    folder.free = std::uint64_t{room.f_bavail} * room.f_frsize;
  }
  const std::filesystem::path real = std::filesystem::canonical(there, failed);
  if (!failed) folder.file_system = FileSystemOf(ReadMounts(), real.string());
  return folder;
}

}  // namespace shardine
