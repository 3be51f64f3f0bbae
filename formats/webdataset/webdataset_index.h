// The .idx file that DALI's webdataset reader wants beside a .tar, as its tool
// wds2idx writes it. Form: FORMAT.md, "Index".
#ifndef SHARDINE_FORMATS_WEBDATASET_WEBDATASET_INDEX_H_
#define SHARDINE_FORMATS_WEBDATASET_WEBDATASET_INDEX_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "io/readable_storage.h"
#include "shard/format.h"
#include "shardine/status.h"

namespace shardine {

// Builds the index in memory, since its first line counts the others: some 100
// bytes a sample. Thread-compatible.
class WdsIndexBuilder {
 public:
  // The next file of the archive.
  void Add(std::string_view name, std::uint64_t data_offset,
           std::uint64_t size);
  std::string Text() const;

 private:
  std::string lines_;
  std::string prefix_;  // of the sample of the last line
  std::uint64_t samples_ = 0;
};

// The index that DALI's wds2idx makes of a tar archive. kUnsupported for one
// that is compressed.
Result<std::string> WdsIndexOf(const RandomAccessFile& tar);

// Does the .idx at `paths.companion` match the headers of the shard, byte for
// byte, and do they say these records and ids? `ids` may be empty. kCorrupt
// with path, record (the line of the index, the first being its head, or the
// sample) and byte at the first difference.
Status CheckWdsIndex(ReadableStorage& storage, const ShardPaths& paths,
                     std::span<const std::uint64_t> record_offsets,
                     std::span<const std::uint64_t> ids);

}  // namespace shardine

#endif  // SHARDINE_FORMATS_WEBDATASET_WEBDATASET_INDEX_H_
