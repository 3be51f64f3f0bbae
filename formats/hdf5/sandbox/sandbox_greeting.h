// The first messages between this library and the program it starts: which
// version of sandbox_protocol.h they speak, and which sources they were built
// from. A library and a program of two installations would misunderstand each
// other in ways that look like damaged files.
#ifndef SHARDINE_FORMATS_HDF5_SANDBOX_SANDBOX_GREETING_H_
#define SHARDINE_FORMATS_HDF5_SANDBOX_SANDBOX_GREETING_H_

#include <cstdint>
#include <string>

#include "base/bytes.h"
#include "shardine/status.h"

namespace shardine {

// The layout of a greeting, u32 version, u32 size of the text, text, is the
// same in all versions, as are kHello and the header of a frame.
struct SandboxGreeting {
  // To be raised with every change of the frames' contents.
  std::uint32_t protocol = 4;
  // The version of shardine and a digest of the sandbox's sources.
  std::string build;

  bool operator==(const SandboxGreeting&) const = default;
};

// The greeting of the code that calls this.
SandboxGreeting OwnGreeting();

void EncodeGreeting(const SandboxGreeting& greeting, std::string& to);
// kCorrupt for any other payload.
Result<SandboxGreeting> DecodeGreeting(ByteView payload);

// "0.1.0+0123456789abcdef, protocol 1", for messages: `build` may be any bytes.
std::string ToText(const SandboxGreeting& greeting);

}  // namespace shardine

#endif  // SHARDINE_FORMATS_HDF5_SANDBOX_SANDBOX_GREETING_H_
