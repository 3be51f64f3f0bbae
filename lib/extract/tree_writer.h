// TreeWriter: puts files into a folder tree.
#ifndef SHARDINE_EXTRACT_TREE_WRITER_H_
#define SHARDINE_EXTRACT_TREE_WRITER_H_

#include <cstdint>
#include <set>
#include <string>
#include <utility>

#include "base/bytes.h"
#include "io/storage.h"
#include "shardine/status.h"

namespace shardine {

// A file takes the place of something that is there only if it may.
// Thread-compatible.
class TreeWriter {
 public:
  // `twins`: the storage may have one file for two of the names to come.
  TreeWriter(Storage& storage, bool overwrite, bool twins)
      : storage_(storage), overwrite_(overwrite), twins_(twins) {}

  // False if the file was there with these very bytes. The file has its name
  // when it is complete. Not synced: an extracted tree is a copy, and a sync
  // per image would cost more than all the rest. kAlreadyExists: something
  // else has the name.
  Result<bool> Write(const std::string& path, ByteView contents);

 private:
  Status EnterDirectory(const std::string& directory);
  Result<bool> HasContents(const std::string& path, ByteView contents);
  Status AddOwn(const std::string& path);
  Status NotOverOwn(const std::string& path, const FileInfo& own);
  Result<bool> Holds(const std::string& path, ByteView contents);
  Status WriteNew(const std::string& path, ByteView contents);

  Storage& storage_;
  const bool overwrite_;
  const bool twins_;
  ByteBuffer there_;
  std::set<std::string> entered_;
  std::set<std::string> links_;
  // The device and inode of each file written or kept, where one may be written
  // over another.
  std::set<std::pair<std::uint64_t, std::uint64_t>> own_;
};

}  // namespace shardine

#endif  // SHARDINE_EXTRACT_TREE_WRITER_H_
