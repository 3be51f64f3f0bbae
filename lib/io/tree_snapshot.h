// Names, sizes and times of files as they were at one moment, for walks over
// trees whose storage takes a while to say each of them.
#ifndef SHARDINE_IO_TREE_SNAPSHOT_H_
#define SHARDINE_IO_TREE_SNAPSHOT_H_

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "io/readable_storage.h"
#include "shardine/environment.h"

namespace shardine {

// False for texts that may be a key of an object but no name in a folder:
// empty, "." or "..", with a NUL.
bool IsFileName(std::string_view name);

// Thread-compatible while it is filled, thread-safe afterwards. For paths that
// were not added, and for bytes, it asks `storage`, which must outlive it, or
// the path's own where that is of another scheme: files that are read beside a
// tree may lie on this machine.
class TreeSnapshot : public ReadableStorage {
 public:
  explicit TreeSnapshot(ReadableStorage& storage)
      : storage_(storage), environment_(Environment::Current()) {}

  // Begins the tree of that folder, which exists.
  void AddRoot(const std::string& folder);
  // A file below it: `name` has its path from there, "a/b.jpg". kUnsupported: a
  // part of it is no name of a file, or is one file and a folder at once.
  Status AddFile(const std::string& root, std::string_view name,
                 std::uint64_t size, std::int64_t mtime_ns);

  Result<std::unique_ptr<RandomAccessFile>> Open(
      const std::string& path) override;
  Result<FileInfo> Stat(const std::string& path) override;
  Result<std::vector<DirEntry>> List(const std::string& directory) override;

 private:
  Status AddFolders(const std::string& root, std::string_view name);
  bool IsBelowRoot(const std::string& path) const;
  Result<ReadableStorage*> StorageOf(const std::string& path) const;

  ReadableStorage& storage_;
  const Environment environment_;
  std::vector<std::string> roots_;
  std::map<std::string, std::vector<DirEntry>> folders_;
  std::map<std::string, FileInfo> files_;
};

}  // namespace shardine

#endif  // SHARDINE_IO_TREE_SNAPSHOT_H_
