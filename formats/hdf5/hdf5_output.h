// The .h5 file that a writer of any layout is making: created, closed and
// published once, with the properties that make its bytes depend on the samples
// alone.
#ifndef SHARDINE_FORMATS_HDF5_HDF5_OUTPUT_H_
#define SHARDINE_FORMATS_HDF5_HDF5_OUTPUT_H_

#include <memory>
#include <string>

#include "hdf5/hdf5_library.h"
#include "hdf5/output_driver.h"
#include "io/native_file.h"
#include "io/storage.h"
#include "shardine/status.h"

namespace shardine {

// Thread-compatible. Destruction without Finish() abandons.
class Hdf5Output {
 public:
  // Superblock version 0 and the structures every libhdf5 since 1.8 and every
  // other reader knows; no times. `storage` must outlive the file.
  static Result<std::unique_ptr<Hdf5Output>> Create(Storage& storage,
                                                    std::string path);
  Hdf5Output(const Hdf5Output&) = delete;
  Hdf5Output& operator=(const Hdf5Output&) = delete;
  ~Hdf5Output();

  hid_t id() const { return file_.get(); }
  const std::string& path() const { return native_.path(); }
  // The error of the library call that just failed: kIo with errno if it could
  // not write, else kFailed with the library's message. `action` is a verb.
  Status Error(std::string_view action) const;

  // Closes the file and puts it on stable storage; its size in bytes.
  // REQUIRES: nothing of it is open any more; called once.
  Result<std::uint64_t> Finish();

 private:
  explicit Hdf5Output(NativeFile native) : native_(std::move(native)) {}

  NativeFile native_;
  OutputTarget target_;
  Hdf5Id file_;
};

}  // namespace shardine

#endif  // SHARDINE_FORMATS_HDF5_HDF5_OUTPUT_H_
