// OutputFolder: the folder that a run makes or changes, in the storage it lies
// in: where its files are, the lock that keeps other runs out, and the files
// that a killed run left there.
#ifndef SHARDINE_IO_OUTPUT_FOLDER_H_
#define SHARDINE_IO_OUTPUT_FOLDER_H_

#include <string>
#include <utility>

#include "io/folder_lock.h"
#include "io/storage.h"
#include "shardine/job.h"
#include "shardine/status.h"

namespace shardine {

// A value: copies are of the same folder, which need not be there. The storage
// must outlive it. Thread-safe.
class OutputFolder {
 public:
  OutputFolder(Storage& storage, std::string path)
      : storage_(&storage), path_(std::move(path)) {}
  // In the job's storage, or else in the path's. Same errors as
  // OutputStorageFor() (io/storage_for.h).
  static Result<OutputFolder> Of(const Job& job, const std::string& path);

  Storage& storage() const { return *storage_; }
  const std::string& path() const { return path_; }
  // A folder in it; itself if `name` is empty.
  OutputFolder Below(const std::string& name) const;

  // OUT/NAME.
  std::string PathOf(const std::string& name) const;
  // OUT/.pack/NAME, for files needed until the run is done.
  std::string WorkPath(const std::string& name) const;

  // As FolderLock::Take(). kChanged: a dataset in the folder is half replaced.
  Result<FolderLock> Lock() const;
  // Removes the file at `path`, one of those above; fine if it is absent.
  Status Remove(const std::string& path) const;
  // Removes the unfinished files that lie in the folder itself. kNotFound:
  // there is no such folder.
  Status RemoveTemporaries() const;

 private:
  Storage* storage_;
  std::string path_;
};

}  // namespace shardine

#endif  // SHARDINE_IO_OUTPUT_FOLDER_H_
