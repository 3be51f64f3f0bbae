// A running shardine-hdf5-scan.
#ifndef SHARDINE_FORMATS_HDF5_SCAN_PROCESS_H_
#define SHARDINE_FORMATS_HDF5_SCAN_PROCESS_H_

#include <sys/types.h>

#include <chrono>
#include <memory>
#include <string>

#include "hdf5/scan_channel.h"

namespace shardine {

// Thread-compatible. Destruction kills the process and waits for its end.
class ScanProcess : public ScanChannel {
 public:
  // `patience`: how long one frame may take to come or go. kFailed names a
  // `program` that does not run, or does not answer before it is given a file.
  static Result<std::unique_ptr<ScanProcess>> Start(
      const std::string& program, std::chrono::milliseconds patience);
  ScanProcess(const ScanProcess&) = delete;
  ScanProcess& operator=(const ScanProcess&) = delete;
  ~ScanProcess() override;

  Status Send(ScanMessage kind, ByteView payload) override;
  Result<ScanFrame> Receive() override;

  pid_t pid() const { return pid_; }
  // After a fork, in the new process: it is not this one's child.
  void Disown();

 private:
  ScanProcess(pid_t pid, int handle, int socket,
              std::chrono::milliseconds patience)
      : pid_(pid), handle_(handle), socket_(socket), patience_(patience) {}

  using Clock = std::chrono::steady_clock;
  bool Greet();
  Status Wait(short events, Clock::time_point deadline);
  Status SendAll(ByteView bytes, Clock::time_point deadline);
  Status ReceiveAll(std::span<std::byte> out, Clock::time_point deadline);

  pid_t pid_;
  int handle_;  // pidfd; -1 where the kernel has none
  int socket_;
  std::chrono::milliseconds patience_;
  ByteBuffer payload_;
};

}  // namespace shardine

#endif  // SHARDINE_FORMATS_HDF5_SCAN_PROCESS_H_
