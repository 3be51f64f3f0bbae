// HDF5 (hdf5/fuel, hdf5/array, hdf5/caffe): the entry of the format table.
// FORMAT.md beside this file describes the files.
#ifndef SHARDINE_FORMATS_HDF5_HDF5_FORMAT_H_
#define SHARDINE_FORMATS_HDF5_HDF5_FORMAT_H_

#include "shard/format.h"

namespace shardine {

extern const Format kHdf5Format;

}  // namespace shardine

#endif  // SHARDINE_FORMATS_HDF5_HDF5_FORMAT_H_
