// Scans a TFRecord file of Examples, ours or another program's, and tells its
// layout. Byte layout: FORMAT.md.
#ifndef SHARDINE_FORMATS_TFRECORD_TFRECORD_SCANNER_H_
#define SHARDINE_FORMATS_TFRECORD_TFRECORD_SCANNER_H_

#include <memory>
#include <string_view>

#include "shard/format.h"

namespace shardine {

// `file` must outlive the scanner.
Result<std::unique_ptr<ShardScanner>> OpenTfRecordScanner(
    const RandomAccessFile& file, const LayoutChoice& layout);

// The name of the first record's layout; imagenet's if there is no record or a
// damaged one, which a scan reports. kIo.
Result<std::string_view> DetectTfRecordLayout(const RandomAccessFile& file);

}  // namespace shardine

#endif  // SHARDINE_FORMATS_TFRECORD_TFRECORD_SCANNER_H_
