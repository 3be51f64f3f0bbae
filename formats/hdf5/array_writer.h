// Writes samples whose image is an array as hdf5/array (BigGAN's imgs and
// labels) or hdf5/caffe (HDF5Data's data and label, with a source list).
// FORMAT.md describes the files.
#ifndef SHARDINE_FORMATS_HDF5_ARRAY_WRITER_H_
#define SHARDINE_FORMATS_HDF5_ARRAY_WRITER_H_

#include <memory>

#include "shard/format.h"

namespace shardine {

// kUnsupported for a sample with several labels or other fields, or whose image
// is not an array of three axes, of the layout's type, in the shape of the
// samples before it; kCorrupt for one whose bytes do not match its shape.
Result<std::unique_ptr<ShardWriter>> CreateBigGanWriter(
    Storage& storage, const ShardPaths& paths, const LayoutChoice& layout);
Result<std::unique_ptr<ShardWriter>> CreateCaffeWriter(
    Storage& storage, const ShardPaths& paths, const LayoutChoice& layout);

}  // namespace shardine

#endif  // SHARDINE_FORMATS_HDF5_ARRAY_WRITER_H_
