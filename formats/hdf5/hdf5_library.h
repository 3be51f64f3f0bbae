// All use of libhdf5 in this process goes through this file: one lock, ids that
// close themselves, and errors as Status.
#ifndef SHARDINE_FORMATS_HDF5_HDF5_LIBRARY_H_
#define SHARDINE_FORMATS_HDF5_HDF5_LIBRARY_H_

#include <hdf5.h>

#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include "shardine/status.h"

namespace shardine {

// libhdf5 has global state, and not every build of it has a lock of its own.
// Each caller holds this lock, also to destroy an Hdf5Id. The first one turns
// off the library's own error messages and its work at exit.
class Hdf5Lock {
 public:
  Hdf5Lock();

 private:
  // A thread counts from before it locks until after.
  struct Use {
    Use();
    ~Use();
  };

  const Use use_;
  const std::lock_guard<std::recursive_mutex> lock_;
};

// kUnsupported, about the file at `path`, in the child of a fork that came
// while another thread was in the library.
Status CheckHdf5Library(const std::string& path);

// An id of libhdf5, closed by the function for its kind. Thread-compatible.
class Hdf5Id {
 public:
  using Close = herr_t (*)(hid_t);

  Hdf5Id() = default;
  Hdf5Id(hid_t id, Close close) : id_(id), close_(close) {}
  Hdf5Id(Hdf5Id&& other) noexcept
      : id_(std::exchange(other.id_, H5I_INVALID_HID)), close_(other.close_) {}
  Hdf5Id& operator=(Hdf5Id&& other) noexcept {
    std::swap(id_, other.id_);
    std::swap(close_, other.close_);
    return *this;
  }
  ~Hdf5Id() { Reset(); }

  bool valid() const { return id_ >= 0; }
  hid_t get() const { return id_; }
  // Closes; false if the library reports a failure.
  bool Reset();

 private:
  hid_t id_ = H5I_INVALID_HID;
  Close close_ = nullptr;
};

// kFailed with the library's own words for the call just made in this thread.
// `action` is a verb.
Status Hdf5Error(std::string_view action, const std::string& path);

}  // namespace shardine

#endif  // SHARDINE_FORMATS_HDF5_HDF5_LIBRARY_H_
