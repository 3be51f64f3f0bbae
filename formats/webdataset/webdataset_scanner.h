// Scans a WebDataset shard, ours or another program's, compressed or not. Byte
// layout and the role of each file in it: FORMAT.md.
#ifndef SHARDINE_FORMATS_WEBDATASET_WEBDATASET_SCANNER_H_
#define SHARDINE_FORMATS_WEBDATASET_WEBDATASET_SCANNER_H_

#include <memory>

#include "shard/format.h"

namespace shardine {

// `file` must outlive the scanner. An error repeats when Next() is called
// again. In a compressed file, offsets are the plain archive's, and no field
// has extents.
Result<std::unique_ptr<ShardScanner>> OpenWebDatasetScanner(
    const RandomAccessFile& file, const LayoutChoice& layout);

}  // namespace shardine

#endif  // SHARDINE_FORMATS_WEBDATASET_WEBDATASET_SCANNER_H_
