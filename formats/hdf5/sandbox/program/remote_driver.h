// A virtual file driver of libhdf5 whose bytes come from the parent process.
// Files can only be read.
#ifndef SHARDINE_FORMATS_HDF5_SANDBOX_PROGRAM_REMOTE_DRIVER_H_
#define SHARDINE_FORMATS_HDF5_SANDBOX_PROGRAM_REMOTE_DRIVER_H_

#include <hdf5.h>

#include <cstdint>

#include "hdf5/sandbox/program/parent.h"

namespace shardine {

// A list of file access properties for H5Fopen, which ignores the file name:
// `parent`, which must outlive all files, selects the file. Called once.
hid_t MakeRemoteAccess(Parent& parent);

// While one of these exists, raw data is not read: the driver notes the place
// of the last piece asked for and leaves the buffer alone. This shows where the
// library would read a chunk, for which its own calls take as long as a walk
// over all chunks. One at a time.
class ReadTrap {
 public:
  ReadTrap();
  ReadTrap(const ReadTrap&) = delete;
  ReadTrap& operator=(const ReadTrap&) = delete;
  ~ReadTrap();

  struct Place {
    std::uint64_t offset = 0;
    std::uint64_t size = 0;  // 0: nothing was asked for
  };
  Place place() const;
};

}  // namespace shardine

#endif  // SHARDINE_FORMATS_HDF5_SANDBOX_PROGRAM_REMOTE_DRIVER_H_
