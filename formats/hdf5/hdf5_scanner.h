// Scans HDF5 files of images, ours and those of other programs. FORMAT.md,
// "What is read".
#ifndef SHARDINE_FORMATS_HDF5_HDF5_SCANNER_H_
#define SHARDINE_FORMATS_HDF5_HDF5_SCANNER_H_

#include <memory>

#include "hdf5/sandbox/sandbox_pool.h"
#include "shard/format.h"

namespace shardine {

// `file`, and `pool`, must outlive the scanner. The file's contents decide, not
// a layout, and the names of fields with `roles`. Scans the samples of `split`
// (split_rows.h), or all.
Result<std::unique_ptr<ShardScanner>> OpenHdf5Scanner(
    const RandomAccessFile& file, SandboxPool& pool,
    std::string_view split = kAllSplits, const FieldRoles& roles = {});

// Our layout nearest to the file's contents; `chunk_rows` is 0 where images are
// not arrays in chunks. The datasets' names, where they are at the root; empty:
// none.
struct Hdf5LayoutFacts {
  std::string_view layout;
  std::uint64_t chunk_rows = 0;
  std::string images = {};
  std::string labels = {};
};
Result<Hdf5LayoutFacts> DetectHdf5Layout(const RandomAccessFile& file,
                                         SandboxPool& pool);

}  // namespace shardine

#endif  // SHARDINE_FORMATS_HDF5_HDF5_SCANNER_H_
