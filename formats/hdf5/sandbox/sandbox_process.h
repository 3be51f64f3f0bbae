// A running shardine-hdf5-scan, of this version.
#ifndef SHARDINE_FORMATS_HDF5_SANDBOX_SANDBOX_PROCESS_H_
#define SHARDINE_FORMATS_HDF5_SANDBOX_SANDBOX_PROCESS_H_

#include <sys/types.h>

#include <chrono>
#include <memory>
#include <string>

#include "hdf5/sandbox/sandbox_channel.h"

namespace shardine {

// Thread-compatible. Destruction kills the process and waits for its end.
class SandboxProcess : public SandboxChannel {
 public:
  // `patience`: how long one frame may take to come or go. kFailed names a
  // `program` that does not run, does not answer before it is given a file, or
  // has another version or build than this library.
  static Result<std::unique_ptr<SandboxProcess>> Start(
      const std::string& program, std::chrono::milliseconds patience);
  SandboxProcess(const SandboxProcess&) = delete;
  SandboxProcess& operator=(const SandboxProcess&) = delete;
  ~SandboxProcess() override;

  Status Send(SandboxMessage kind, ByteView payload) override;
  Result<SandboxFrame> Receive() override;

  pid_t pid() const { return pid_; }
  // After a fork, in the new process: it is not this one's child.
  void Disown();

 private:
  SandboxProcess(pid_t pid, int handle, int socket,
                 std::chrono::milliseconds patience)
      : pid_(pid), handle_(handle), socket_(socket), patience_(patience) {}

  using Clock = std::chrono::steady_clock;
  // A failure between the processes; its time decides which one caused it.
  enum class Fault { kNone, kGone, kSilent, kNonsense, kSystem };
  // "" if the other side has this version, else a description of its answer.
  std::string Greet();
  Fault SendFrame(SandboxMessage kind, ByteView payload);
  Fault ReceiveFrame(SandboxFrame& frame);
  Fault Wait(short events, Clock::time_point deadline);
  Fault SendAll(ByteView bytes, Clock::time_point deadline);
  Fault ReceiveAll(std::span<std::byte> out, Clock::time_point deadline);
  // The error for a fault while a file is read.
  static Status Blame(Fault fault);

  pid_t pid_;
  int handle_;  // pidfd; -1 where the kernel has none
  int socket_;
  std::chrono::milliseconds patience_;
  ByteBuffer payload_;
};

}  // namespace shardine

#endif  // SHARDINE_FORMATS_HDF5_SANDBOX_SANDBOX_PROCESS_H_
