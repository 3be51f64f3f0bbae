// ArchiveFormat: how programs that read archives see the shards of a format.
#ifndef SHARDINE_SHARD_ARCHIVE_FORMAT_H_
#define SHARDINE_SHARD_ARCHIVE_FORMAT_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "io/readable_storage.h"
#include "shardine/status.h"

namespace shardine {

struct ArchiveFormat {
  std::string_view format;  // Format::name
  // The media type of files with the suffix of the format.
  std::string_view media_type;
  // The extension, which such programs take for the name of a field, of the
  // archived file whose bytes begin at `offset`. Empty: it cannot be told.
  Result<std::string> (*member_extension_at)(const RandomAccessFile& file,
                                             std::uint64_t offset);
  std::string_view label_extension;  // of the archived file that a label is
};

// Null: shards of the format are no archives. Defined where BuiltinFormats()
// is.
const ArchiveFormat* FindArchiveFormat(std::string_view format);

}  // namespace shardine

#endif  // SHARDINE_SHARD_ARCHIVE_FORMAT_H_
