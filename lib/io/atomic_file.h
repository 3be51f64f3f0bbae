// AtomicFile: a file that exists under its name only when it is complete and
// on stable storage. Written under a temporary name in the same directory;
// Publish() = sync, close, rename, sync of the directory.
#ifndef SHARDINE_IO_ATOMIC_FILE_H_
#define SHARDINE_IO_ATOMIC_FILE_H_

#include <memory>
#include <string>
#include <string_view>

#include "io/storage.h"

namespace shardine {

// "dir/.name.HASH.tmp" for "dir/name"; io/temporary_name.h defines the form.
std::string TemporaryName(const std::string& path);
// True for the file names (without directory) that TemporaryName makes.
bool IsTemporaryName(std::string_view file_name);

// Renames the finished, synced file at TemporaryName(path) to `path` and syncs
// the directory.
Status PublishTemporary(Storage& storage, const std::string& path);

// Thread-compatible. Ends in exactly one of Publish() or destruction, which
// abandons: the temporary file is removed and nothing appears under the name.
class AtomicFile {
 public:
  // kInvalidArgument: a folder, a device or a pipe has the name; it would be
  // replaced, not written to. `storage` must outlive the file.
  static Result<AtomicFile> Create(Storage& storage, std::string path);
  AtomicFile(AtomicFile&&) noexcept;
  AtomicFile& operator=(AtomicFile&&) noexcept;
  ~AtomicFile();

  Status Append(ByteView bytes);
  // Fails without publishing if any Append failed. If only the last step, the
  // sync of the directory, fails, the complete file stays under its name.
  // REQUIRES: called once, and last.
  Status Publish();
  // The same, but kAlreadyExists where something has the name.
  Status PublishNew();
  // The same without a sync: for work files, which mean nothing after a crash.
  Status PublishUnsynced();

 private:
  AtomicFile(Storage& storage, std::string path,
             std::unique_ptr<WritableFile> file);
  using Rename = Status (Storage::*)(const std::string& from,
                                     const std::string& to);
  Status PublishBy(Rename rename);
  Status GiveName(Rename rename);
  void Abandon();

  Storage* storage_;
  std::string path_;
  std::unique_ptr<WritableFile> file_;  // null once published or abandoned
  Status error_;                        // of the first Append that failed
};

// AtomicFile with these contents.
Status WriteFileAtomically(Storage& storage, const std::string& path,
                           ByteView contents);
// The same, but kAlreadyExists where something has the name.
Status WriteNewFileAtomically(Storage& storage, const std::string& path,
                              ByteView contents);

}  // namespace shardine

#endif  // SHARDINE_IO_ATOMIC_FILE_H_
