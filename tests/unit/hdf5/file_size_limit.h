// No file of this process may be longer than so many bytes while this lives:
// the write that would make it longer fails with EFBIG, at any byte of a test's
// choice, as on a disk that is full.
#ifndef SHARDINE_TESTS_UNIT_HDF5_FILE_SIZE_LIMIT_H_
#define SHARDINE_TESTS_UNIT_HDF5_FILE_SIZE_LIMIT_H_

#include <signal.h>
#include <sys/resource.h>
#if defined(__SANITIZE_ADDRESS__)
#define SHARDINE_LOOKS_FOR_LEAKS 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SHARDINE_LOOKS_FOR_LEAKS 1
#endif
#endif
#ifdef SHARDINE_LOOKS_FOR_LEAKS
#include <sanitizer/lsan_interface.h>
#endif

#include <catch2/catch.hpp>
#include <cstdint>

namespace shardine {

// While this lives, allocations count as no leak. libhdf5 loses its memory of a
// file that it cannot close, among it memory kept for reuse since the last
// file: so it begins before the first.
class LossesOfLibrary {
 public:
#ifdef SHARDINE_LOOKS_FOR_LEAKS
  LossesOfLibrary() { __lsan_disable(); }
  ~LossesOfLibrary() { __lsan_enable(); }
#else
  LossesOfLibrary() {}
#endif
  LossesOfLibrary(const LossesOfLibrary&) = delete;
  LossesOfLibrary& operator=(const LossesOfLibrary&) = delete;
};

class FileSizeLimit {
 public:
  explicit FileSizeLimit(std::uint64_t bytes)
      : handler_(signal(SIGXFSZ, SIG_IGN)) {
    REQUIRE(getrlimit(RLIMIT_FSIZE, &before_) == 0);
    const rlimit limit = {bytes, before_.rlim_max};
    REQUIRE(setrlimit(RLIMIT_FSIZE, &limit) == 0);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;
  ~FileSizeLimit() {
    setrlimit(RLIMIT_FSIZE, &before_);
    signal(SIGXFSZ, handler_);
  }

 private:
  void (*const handler_)(int);
  rlimit before_ = {};
};

}  // namespace shardine

#endif  // SHARDINE_TESTS_UNIT_HDF5_FILE_SIZE_LIMIT_H_
