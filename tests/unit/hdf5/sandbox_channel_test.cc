// Frames to and from a process: their sizes, and how long they may take.
#include <sys/resource.h>
#include <unistd.h>

#include <chrono>

#include "hdf5/sandbox/sandbox_process.h"
#include "hdf5/sandbox/sandbox_program.h"
#include "unit/hdf5/fake_sandbox.h"

namespace shardine::sandbox_channel_test {
namespace {

using Clock = std::chrono::steady_clock;

// Where its end is not waited for, and where it is.
constexpr std::chrono::milliseconds kPatience = std::chrono::seconds(9);
constexpr std::chrono::milliseconds kLittle{700};

std::unique_ptr<SandboxProcess> Start(const std::string& program,
                                      std::chrono::milliseconds patience) {
  auto process = SandboxProcess::Start(program, patience);
  INFO(process.status().ToString());
  REQUIRE(process.ok());
  return *std::move(process);
}

TEST_CASE("SandboxProcess sends and receives frames of all sizes",
          "[hdf5][channel]") {
  const TempDirectory folder;
  for (const std::size_t size : {std::size_t{0}, std::size_t{1},
                                 std::size_t{70'000}, kSandboxMaxPayload}) {
    const std::string frame = folder / "frame";
    const std::string echo = "head -c " +
                             std::to_string(kSandboxFrameHeader + size) + " >" +
                             frame + "\ncat " + frame + " >&0\nexec sleep 9";
    const auto process = Start(MakeProgram(folder, Polite(echo)), kPatience);
    std::string payload(size, 'p');
    for (std::size_t i = 0; i < size; i += 97) {
      payload[i] = static_cast<char>(i);
    }
    const auto kind = static_cast<SandboxMessage>(0x01020304);
    REQUIRE(process->Send(kind, AsBytes(payload)).ok());
    const auto reply = process->Receive();
    REQUIRE(reply.ok());
    CHECK(reply->kind == kind);
    CHECK((AsText(reply->payload) == payload));
  }
}

// The result for a frame from a process that greets and does `script`.
Status Received(const std::string& script,
                std::chrono::milliseconds patience = kPatience) {
  const TempDirectory folder;
  const auto process = Start(MakeProgram(folder, Polite(script)), patience);
  const auto begin = Clock::now();
  const auto frame = process->Receive();
  CHECK(Clock::now() - begin < std::chrono::seconds(4));
  return frame.status();
}

std::string HeaderOf(std::uint32_t size) {
  std::string header;
  AppendLe(static_cast<std::uint32_t>(SandboxMessage::kData), header);
  AppendLe(size, header);
  return header;
}

TEST_CASE("SandboxProcess takes every cut of a frame for a crash",
          "[hdf5][channel]") {
  const std::string frame = Frame(SandboxMessage::kData, "abc");
  for (std::size_t size = 0; size < frame.size(); ++size) {
    const Status status = Received(Says(frame.substr(0, size)) + "exit 0");
    CHECK(status.code() == Code::kFailed);
    CHECK_THAT(status.message(), Catch::Contains("crashed"));
  }
  CHECK(Received(Says(frame) + "exit 0").ok());
}

TEST_CASE("SandboxProcess takes a frame that is too large for a crash",
          "[hdf5][channel]") {
  constexpr auto kMost = static_cast<std::uint32_t>(kSandboxMaxPayload);
  for (const std::uint32_t size : {kMost + 1, 0x80000000U, ~0U}) {
    CHECK_THAT(Received(Says(HeaderOf(size)) + "exec sleep 9").message(),
               Catch::Contains("crashed"));
  }
  // The largest is waited for.
  CHECK_THAT(
      Received(Says(HeaderOf(kMost)) + "exec sleep 9", kLittle).message(),
      Catch::Contains("too long"));
}

TEST_CASE("SandboxProcess gives all of a frame one time, however it trickles",
          "[hdf5][channel]") {
  CHECK_THAT(
      Received(Says(HeaderOf(100)) + "while printf x >&0; do sleep 0.1; done",
               kLittle)
          .message(),
      Catch::Contains("too long"));
}

TEST_CASE("SandboxProcess gives up on a process that does not listen",
          "[hdf5][channel]") {
  const TempDirectory folder;
  const auto process =
      Start(MakeProgram(folder, Polite("exec sleep 9")), kLittle);
  const std::string payload(kSandboxMaxPayload, 'p');
  const auto begin = Clock::now();
  Status status;
  for (int i = 0; i < 50 && status.ok(); ++i) {
    status = process->Send(SandboxMessage::kReadReply, AsBytes(payload));
  }
  CHECK(Clock::now() - begin < std::chrono::seconds(4));
  CHECK(status.code() == Code::kUnsupported);
  CHECK_THAT(status.message(), Catch::Contains("too long"));
}

TEST_CASE("SandboxProcess survives sending to a process that is gone",
          "[hdf5][channel]") {
  const TempDirectory folder;
  const auto process = Start(MakeProgram(folder, Polite("exit 0")), kPatience);
  // By then it is.
  CHECK_FALSE(process->Receive().ok());
  const Status status = process->Send(SandboxMessage::kClose, {});
  CHECK(status.code() == Code::kFailed);
  CHECK_THAT(status.message(), Catch::Contains("crashed"));
}

TEST_CASE("SandboxProcess starts where the standard input is closed",
          "[hdf5][channel]") {
  const auto program = FindSandboxProgram();
  REQUIRE(program.ok());
  const int kept = dup(STDIN_FILENO);
  close(STDIN_FILENO);
  {
    const auto process = SandboxProcess::Start(*program, kPatience);
    CHECK(process.status().ToString() == "OK");
    if (process.ok()) {
      CHECK((*process)->Send(SandboxMessage::kClose, {}).ok());
      CHECK((*process)->Receive().ok());
    }
  }
  if (kept >= 0) {
    REQUIRE(dup2(kept, STDIN_FILENO) == STDIN_FILENO);
    close(kept);
  }
}

TEST_CASE("SandboxProcess says that there are no descriptors left",
          "[hdf5][channel]") {
  const auto program = FindSandboxProgram();
  REQUIRE(program.ok());
  rlimit before{};
  REQUIRE(getrlimit(RLIMIT_NOFILE, &before) == 0);
  const rlimit few = {3, before.rlim_max};
  REQUIRE(setrlimit(RLIMIT_NOFILE, &few) == 0);
  const auto process = SandboxProcess::Start(*program, kPatience);
  REQUIRE(setrlimit(RLIMIT_NOFILE, &before) == 0);
  // The machine's fault, and neither the program's nor a file's.
  CHECK(process.status().code() == Code::kIo);
  CHECK(process.status().where().path == *program);
  CHECK(Start(*program, kPatience) != nullptr);
}

}  // namespace
}  // namespace shardine::sandbox_channel_test
