// The sandboxed processes of this program. One serves many files one after the
// other, since starting one takes longer than most scans.
#ifndef SHARDINE_FORMATS_HDF5_SANDBOX_SANDBOX_POOL_H_
#define SHARDINE_FORMATS_HDF5_SANDBOX_SANDBOX_POOL_H_

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "hdf5/sandbox/sandbox_process.h"

namespace shardine {

// Thread-safe. A fork leaves the new process an empty pool: the processes
// belong to the old one. They end with the program that started them.
class SandboxPool {
 public:
  struct Options {
    std::chrono::milliseconds patience{20'000};
    std::string program = {};  // empty: FindSandboxProgram()
  };
  explicit SandboxPool(Options options) : options_(std::move(options)) {}

  // Never destroyed.
  static SandboxPool& Global();

  // One that is idle, or a new one.
  Result<std::unique_ptr<SandboxProcess>> Take();
  // To be used again. REQUIRES: it awaits a request. A process that fails is
  // destroyed instead.
  void Return(std::unique_ptr<SandboxProcess> process);

  std::uint64_t started() const;

 private:
  void ForgetOtherProcess();

  const Options options_;
  // Guarded by ForkMutex().
  pid_t owner_ = 0;
  std::vector<std::unique_ptr<SandboxProcess>> idle_;
  std::uint64_t started_ = 0;
};

}  // namespace shardine

#endif  // SHARDINE_FORMATS_HDF5_SANDBOX_SANDBOX_POOL_H_
