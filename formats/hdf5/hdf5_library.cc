#include "hdf5/hdf5_library.h"

#include <atomic>
#include <new>

#include "base/fork_mutex.h"
#include "base/made_once.h"

namespace shardine {
namespace {

constinit MadeOnce<std::recursive_mutex> mutex;
constinit std::atomic<int> users = 0;  // threads that have or want the lock
constinit bool is_prepared = false;    // guarded by the lock
constinit bool is_lost = false;

// Work that those threads of the parent had begun stays unfinished.
void InChild() {
  if (users.exchange(0) == 0) return;
  is_lost = true;
  new (&mutex.Get()) std::recursive_mutex;
}

// Before the lock can be taken.
[[maybe_unused]] const bool registered = (AtForkInChild(InChild), true);

// Files are closed by their writers. Files left at exit are abandoned, and
// flushing them from an exit handler could fail or hang.
void PrepareLibrary() {
  H5dont_atexit();
  H5open();
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

// Keeps the words of the innermost call, which comes first.
herr_t Visit(unsigned, const H5E_error2_t* error, void* data) {
  auto& text = *static_cast<std::string*>(data);
  if (text.empty() && error->desc != nullptr) text = error->desc;
  return 0;
}

}  // namespace

Hdf5Lock::Use::Use() { ++users; }
Hdf5Lock::Use::~Use() { --users; }

Hdf5Lock::Hdf5Lock() : lock_(mutex.Get()) {
  if (!is_prepared) PrepareLibrary();
  is_prepared = true;
  // Error reporting is set per thread in a thread-safe build.
  thread_local const bool quiet =
      H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr) >= 0;
  static_cast<void>(quiet);
}

Status CheckHdf5Library(const std::string& path) {
  if (!is_lost) return Status();
  return Status(
             Code::kUnsupported,
             "this process was forked while another thread wrote HDF5, and "
             "libhdf5 cannot go on in it: write in a process that is spawned")
      .At({.path = path});
}

bool Hdf5Id::Reset() {
  if (id_ < 0) return true;
  return close_(std::exchange(id_, H5I_INVALID_HID)) >= 0;
}

Status Hdf5Error(std::string_view action, const std::string& path) {
  std::string text;
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, Visit, &text);
  return Status(Code::kFailed, std::string(action) + ": libhdf5: " +
                                   (text.empty() ? "failed" : text))
      .At({.path = path});
}

}  // namespace shardine
