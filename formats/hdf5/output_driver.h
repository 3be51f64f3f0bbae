// A virtual file driver of libhdf5 that writes to a descriptor of ours. Unlike
// the library's own it takes any descriptor, anonymous memory too, and tells
// why a write failed.
#ifndef SHARDINE_FORMATS_HDF5_OUTPUT_DRIVER_H_
#define SHARDINE_FORMATS_HDF5_OUTPUT_DRIVER_H_

#include "hdf5/hdf5_library.h"

namespace shardine {

// The target of the driver. Must outlive the library's file.
struct OutputTarget {
  int descriptor = -1;
  int error = 0;  // errno of the first read or write that failed
};

// Makes the files of a list of file access properties be `target`, whatever
// name they are created by. False if the library does not take it. Under
// Hdf5Lock.
bool SetOutputDriver(hid_t access, OutputTarget& target);

}  // namespace shardine

#endif  // SHARDINE_FORMATS_HDF5_OUTPUT_DRIVER_H_
