#include "io/readable_storage.h"

#include "base/status_macros.h"

namespace shardine {
namespace {

std::size_t EndWithoutSlashes(const std::string& path) {
  const std::size_t last = path.find_last_not_of('/');
  return last == std::string::npos ? 0 : last + 1;
}

}  // namespace

Status RandomAccessFile::ReadExactly(std::uint64_t offset,
                                     std::span<std::byte> out) const {
  SHARDINE_ASSIGN_OR_RETURN(const std::size_t count, ReadAt(offset, out));
  if (count == out.size()) return Status();
  return Status(Code::kCorrupt, "file ends early")
      .At({.path = path(), .offset = offset});
}

bool IsSameFile(const FileInfo& a, const FileInfo& b) {
  return a.device == b.device && a.inode == b.inode && a.inode != 0;
}

Result<std::string> ReadFile(ReadableStorage& storage, const std::string& path,
                             std::uint64_t max_size) {
  SHARDINE_ASSIGN_OR_RETURN(const auto file, storage.Open(path));
  if (file->size() > max_size) {
    return Status(Code::kUnsupported, "has " + std::to_string(file->size()) +
                                          " bytes, more than the " +
                                          std::to_string(max_size) +
                                          " such a file may have")
        .At({.path = path});
  }
  std::string contents(static_cast<std::size_t>(file->size()), '\0');
  SHARDINE_RETURN_IF_ERROR(
      file->ReadExactly(0, std::as_writable_bytes(std::span(contents))));
  return contents;
}

std::string DirectoryOf(const std::string& path) {
  const std::size_t end = EndWithoutSlashes(path);
  if (end == 0) return path.empty() ? "." : "/";
  const std::size_t slash = path.rfind('/', end - 1);
  if (slash == std::string::npos) return ".";
  // "s3://" of "s3://bucket" stays as it is: no place of this machine.
  if (path.substr(0, slash + 1).ends_with("://"))
    return path.substr(0, slash + 1);
  const std::string directory = path.substr(0, slash);
  const std::size_t kept = EndWithoutSlashes(directory);
  return kept == 0 ? "/" : directory.substr(0, kept);
}

std::string FileNameOf(const std::string& path) {
  const std::size_t end = EndWithoutSlashes(path);
  if (end == 0) return "";
  const std::size_t slash = path.rfind('/', end - 1);
  const std::size_t begin = slash == std::string::npos ? 0 : slash + 1;
  return path.substr(begin, end - begin);
}

std::string JoinPath(const std::string& directory, const std::string& name) {
  if (directory.empty() || directory == ".") return name;
  if (directory.back() == '/') return directory + name;
  return directory + "/" + name;
}

}  // namespace shardine
