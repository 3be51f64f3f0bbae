// Programs that stand where shardine-hdf5-scan should: scripts of a shell,
// whose standard input is the socket.
#ifndef SHARDINE_TESTS_UNIT_HDF5_FAKE_SANDBOX_H_
#define SHARDINE_TESTS_UNIT_HDF5_FAKE_SANDBOX_H_

#include <sys/stat.h>

#include <catch2/catch.hpp>
#include <cstdio>
#include <fstream>
#include <string>

#include "hdf5/sandbox/sandbox_greeting.h"
#include "hdf5/sandbox/sandbox_protocol.h"
#include "support/temp_directory.h"

namespace shardine {

inline std::string MakeProgram(const TempDirectory& folder,
                               const std::string& script) {
  const std::string path = folder.path() + "/shardine-hdf5-scan";
  std::ofstream(path) << "#!/bin/sh\n" << script << "\n";
  REQUIRE(chmod(path.c_str(), 0755) == 0);
  return path;
}

// A command that says `bytes`.
inline std::string Says(std::string_view bytes) {
  std::string text;
  for (const char c : bytes) {
    char digits[5];
    std::snprintf(digits, sizeof(digits), "\\%03o",
                  static_cast<unsigned>(static_cast<unsigned char>(c)));
    text += digits;
  }
  return "printf '" + text + "' >&0\n";
}

inline std::string Frame(SandboxMessage kind, const std::string& payload) {
  std::string frame;
  AppendLe(static_cast<std::uint32_t>(kind), frame);
  AppendLe(static_cast<std::uint32_t>(payload.size()), frame);
  return frame + payload;
}

inline std::string Encoded(const SandboxGreeting& greeting) {
  std::string text;
  EncodeGreeting(greeting, text);
  return text;
}

// A command that waits for a frame of this payload.
inline std::string Hears(std::size_t payload) {
  return "head -c " + std::to_string(kSandboxFrameHeader + payload) +
         " >/dev/null\n";
}

// Hears the greeting, answers `frame`, then does `script`.
inline std::string Answering(const std::string& frame,
                             const std::string& script) {
  return Hears(Encoded(OwnGreeting()).size()) + Says(frame) + script;
}

// Greets as it should, then does `script`.
inline std::string Polite(const std::string& script) {
  return Answering(Frame(SandboxMessage::kHello, Encoded(OwnGreeting())),
                   script);
}

}  // namespace shardine

#endif  // SHARDINE_TESTS_UNIT_HDF5_FAKE_SANDBOX_H_
