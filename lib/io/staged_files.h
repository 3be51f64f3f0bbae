// Files that are written on this machine's disk before they go elsewhere. They
// have no names there, so that nothing is left of them when the process ends.
#ifndef SHARDINE_IO_STAGED_FILES_H_
#define SHARDINE_IO_STAGED_FILES_H_

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "io/storage.h"
#include "shardine/status.h"

namespace shardine {

// One of them. Thread-safe but for its writer.
class StagedFile {
 public:
  // In the folder of TMPDIR, else in /var/tmp.
  static Result<std::shared_ptr<StagedFile>> Make(std::string path);
  ~StagedFile();
  StagedFile(const StagedFile&) = delete;
  StagedFile& operator=(const StagedFile&) = delete;

  // It goes on at the end.
  Status Append(ByteView bytes);
  // All bytes go.
  Status Empty();
  // Under which other libraries of this process find it.
  std::string native_path() const;
  const std::string& path() const { return path_; }
  Result<std::uint64_t> size() const;

 private:
  StagedFile(int file, std::string path)
      : file_(file), path_(std::move(path)) {}

  const int file_;
  const std::string path_;  // that it is called elsewhere
};

// Opens that file as it is now.
Result<std::unique_ptr<RandomAccessFile>> OpenStaged(
    const std::shared_ptr<StagedFile>& file);

// The staged files of a storage by their paths there. Thread-safe.
class StagedFiles {
 public:
  // An empty one; that under the same path is emptied.
  Result<std::shared_ptr<StagedFile>> Make(const std::string& path);
  // Null: there is none.
  std::shared_ptr<StagedFile> Find(const std::string& path) const;
  // False: there was none.
  bool Remove(const std::string& path);
  // Names of those in that folder.
  std::vector<std::string> NamesIn(const std::string& folder) const;

 private:
  // Guarded by ForkMutex().
  std::map<std::string, std::shared_ptr<StagedFile>> files_;
};

}  // namespace shardine

#endif  // SHARDINE_IO_STAGED_FILES_H_
