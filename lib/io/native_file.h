// NativeFile: lets a library that writes by path of its own (LMDB, HDF5) make
// a file of any storage. On the local file system the library writes the file
// itself; for other storages it writes anonymous memory, which is copied there
// when it is complete.
#ifndef SHARDINE_IO_NATIVE_FILE_H_
#define SHARDINE_IO_NATIVE_FILE_H_

#include <memory>
#include <string>

#include "io/storage.h"
#include "shardine/status.h"

namespace shardine {

// Thread-compatible. Destruction without Commit() abandons; the caller removes
// the file left under the path, as with any unfinished writer.
class NativeFile {
 public:
  // An empty file. `storage` must outlive it.
  static Result<NativeFile> Create(Storage& storage, std::string path);
  NativeFile(NativeFile&&) noexcept;
  NativeFile& operator=(NativeFile&&) noexcept;
  ~NativeFile();

  // Where the library is to open it, as a file that exists and is empty.
  const std::string& native_path() const { return native_path_; }
  // As the storage knows it.
  const std::string& path() const { return path_; }

  // Takes the file that the library wrote and closed: on success it is at
  // path(), on stable storage. REQUIRES: called once.
  Status Commit();

 private:
  NativeFile(Storage& storage, std::string path, std::string native_path,
             int memory);
  Status CopyFromMemory();

  Storage* storage_;
  std::string path_;
  std::string native_path_;
  int memory_;  // descriptor of the anonymous memory, or -1
};

}  // namespace shardine

#endif  // SHARDINE_IO_NATIVE_FILE_H_
