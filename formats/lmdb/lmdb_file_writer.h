// Writes an LMDB file with liblmdb: one file, no lock file, a map that grows as
// it is needed, the same bytes for the same entries. FORMAT.md, "Writing".
#ifndef SHARDINE_FORMATS_LMDB_LMDB_FILE_WRITER_H_
#define SHARDINE_FORMATS_LMDB_LMDB_FILE_WRITER_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "io/storage.h"
#include "lmdb/spliced_bytes.h"
#include "shardine/status.h"

namespace shardine {

// Thread-compatible. Destruction without Finish() abandons the file and leaves
// nothing open.
class LmdbFileWriter {
 public:
  // `storage` must outlive it.
  static Result<std::unique_ptr<LmdbFileWriter>> Create(
      Storage& storage, const std::string& path);
  virtual ~LmdbFileWriter() = default;

  enum class Order : bool {
    kAny,
    kAscending,  // after all keys so far, which makes full pages
  };

  // Copies the value into the database. kAlreadyExists, with nothing written,
  // if the key is there. REQUIRES: a key of 1 to 511 bytes, a value smaller
  // than 4 GiB; kAscending keys do ascend.
  virtual Status Put(std::string_view key, const SplicedBytes& value,
                     Order order) = 0;

  // Closes, and puts it where it belongs, synced. No calls after it.
  virtual Status Finish() = 0;
};

}  // namespace shardine

#endif  // SHARDINE_FORMATS_LMDB_LMDB_FILE_WRITER_H_
