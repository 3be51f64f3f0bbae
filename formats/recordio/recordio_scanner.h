// Scans a .rec of images, ours or MXNet's (recordio/mxnet). Byte layout:
// FORMAT.md.
#ifndef SHARDINE_FORMATS_RECORDIO_RECORDIO_SCANNER_H_
#define SHARDINE_FORMATS_RECORDIO_RECORDIO_SCANNER_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "shard/format.h"

namespace shardine {

// `file` must outlive the scanner.
Result<std::unique_ptr<ShardScanner>> OpenRecordIoScanner(
    const RandomAccessFile& file, const LayoutChoice& layout);

// As Format::read_head.
std::optional<RecordHead> ReadRecordIoHead(ByteView head, std::uint64_t bytes,
                                           std::vector<Label>& labels);

}  // namespace shardine

#endif  // SHARDINE_FORMATS_RECORDIO_RECORDIO_SCANNER_H_
