// Frames to and from the process that scans, as its parent sees them.
#ifndef SHARDINE_FORMATS_HDF5_SANDBOX_SANDBOX_CHANNEL_H_
#define SHARDINE_FORMATS_HDF5_SANDBOX_SANDBOX_CHANNEL_H_

#include "hdf5/sandbox/sandbox_protocol.h"

namespace shardine {

struct SandboxFrame {
  SandboxMessage kind;
  ByteView payload;  // valid until the next call
};

// Thread-compatible.
class SandboxChannel {
 public:
  virtual ~SandboxChannel() = default;

  // kCorrupt if the process is gone or does not listen: after that the channel
  // is unusable. REQUIRES: payload of at most kSandboxMaxPayload.
  virtual Status Send(SandboxMessage kind, ByteView payload) = 0;
  // kCorrupt if the process is gone, silent for too long or sends nonsense.
  virtual Result<SandboxFrame> Receive() = 0;
};

}  // namespace shardine

#endif  // SHARDINE_FORMATS_HDF5_SANDBOX_SANDBOX_CHANNEL_H_
