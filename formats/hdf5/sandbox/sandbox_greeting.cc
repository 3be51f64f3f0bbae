#include "hdf5/sandbox/sandbox_greeting.h"

#include "shardine/escape.h"

namespace shardine {
namespace {

// Both ends see few bytes of each other before they trust each other.
constexpr std::size_t kMaxBuild = 100;

}  // namespace

SandboxGreeting OwnGreeting() { return {.build = SHARDINE_SANDBOX_BUILD}; }

void EncodeGreeting(const SandboxGreeting& greeting, std::string& to) {
  AppendLe(greeting.protocol, to);
  AppendLe(static_cast<std::uint32_t>(greeting.build.size()), to);
  to += greeting.build;
}

Result<SandboxGreeting> DecodeGreeting(ByteView payload) {
  ByteCursor cursor(payload);
  SandboxGreeting greeting;
  std::uint32_t size = 0;
  ByteView build;
  if (!cursor.Read(greeting.protocol) || !cursor.Read(size) ||
      size > kMaxBuild || !cursor.ReadBytes(size, build) || !cursor.done()) {
    return Status(Code::kCorrupt, "not a greeting");
  }
  greeting.build = AsText(build);
  return greeting;
}

std::string ToText(const SandboxGreeting& greeting) {
  return EscapeBytes(greeting.build) + ", protocol " +
         std::to_string(greeting.protocol);
}

}  // namespace shardine
