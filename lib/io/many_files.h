// Calls on many files at a time where each answer takes a while, as from a
// server.
#ifndef SHARDINE_IO_MANY_FILES_H_
#define SHARDINE_IO_MANY_FILES_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "io/readable_storage.h"
#include "shardine/status.h"

namespace shardine {

// A file of which the size is known.
struct WholeFile {
  std::string path;
  std::optional<std::int64_t> mtime_ns;  // nullopt: any time will do
  std::span<std::byte> out;              // of the file's size
  Status status = {};
};

// Thread-safe. Waits end with the stop of the thread's work.
class ManyFiles {
 public:
  virtual ~ManyFiles() = default;

  // Reads all of them, one version each, with one request each. kChanged: it
  // has another size or time; kNotFound.
  virtual void ReadWhole(std::span<WholeFile> files) = 0;
  // A storage that has the names, sizes and times of all that is below these
  // folders in memory, and asks this one for everything else. kUnsupported: a
  // name that no folder has.
  virtual Result<std::unique_ptr<ReadableStorage>> Snapshot(
      std::span<const std::string> folders) = 0;
};

}  // namespace shardine

#endif  // SHARDINE_IO_MANY_FILES_H_
