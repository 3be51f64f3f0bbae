#include "hdf5/sandbox/sandbox_process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "base/status_macros.h"
#include "base/variable_block.h"
#include "hdf5/sandbox/sandbox_greeting.h"

namespace shardine {
namespace {

// The signal handlers, mask and group of this process mean nothing to the
// other: ^C stops us, and with us it.
class SpawnSettings {
 public:
  explicit SpawnSettings(int socket) {
    posix_spawn_file_actions_init(&files_);
    posix_spawn_file_actions_adddup2(&files_, socket, STDIN_FILENO);
    posix_spawn_file_actions_addopen(&files_, STDOUT_FILENO, "/dev/null",
                                     O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&files_, STDERR_FILENO, "/dev/null",
                                     O_WRONLY, 0);
    posix_spawnattr_init(&attributes_);
    sigset_t signals;
    sigemptyset(&signals);
    posix_spawnattr_setsigmask(&attributes_, &signals);
    sigfillset(&signals);
    posix_spawnattr_setsigdefault(&attributes_, &signals);
    posix_spawnattr_setpgroup(&attributes_, 0);
    posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGMASK |
                                               POSIX_SPAWN_SETSIGDEF |
                                               POSIX_SPAWN_SETPGROUP);
  }
  SpawnSettings(const SpawnSettings&) = delete;
  SpawnSettings& operator=(const SpawnSettings&) = delete;
  ~SpawnSettings() {
    posix_spawn_file_actions_destroy(&files_);
    posix_spawnattr_destroy(&attributes_);
  }

  int Spawn(const std::string& program, pid_t* pid) {
    char* arguments[] = {const_cast<char*>(program.c_str()), nullptr};
    const VariableBlock variables(Environment::Latest());
    return posix_spawn(pid, program.c_str(), &files_, &attributes_, arguments,
                       variables.data());
  }

 private:
  posix_spawn_file_actions_t files_;
  posix_spawnattr_t attributes_;
};

// The error names no file: `program` was not given one yet.
Status Useless(const std::string& program, const std::string& what) {
  return Status(Code::kFailed,
                "HDF5 files are read by this program, and it " + what +
                    ": install shardine again, or set SHARDINE_LIBEXEC_DIR to "
                    "the folder of the one that came with this version")
      .At({.path = program});
}

std::string CannotRun(int error) {
  if (error == ENOENT) return "is not there";
  if (error == EACCES) return "may not be executed";
  return "is no program of this machine";
}

// Is something wrong with the program, and not with this machine at the moment?
bool IsItsFault(int error) {
  return error == ENOENT || error == EACCES || error == ENOEXEC;
}

}  // namespace

Result<std::unique_ptr<SandboxProcess>> SandboxProcess::Start(
    const std::string& program, std::chrono::milliseconds patience) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    return Status::FromErrno(errno, "make a socket for", program);
  }
  // dup2 onto itself would leave the descriptor to close itself.
  if (ends[1] == STDIN_FILENO) std::swap(ends[0], ends[1]);
  pid_t pid = -1;
  const int error = SpawnSettings(ends[1]).Spawn(program, &pid);
  close(ends[1]);
  if (error != 0) {
    close(ends[0]);
    if (IsItsFault(error)) return Useless(program, CannotRun(error));
    return Status::FromErrno(error, "start", program);
  }
  const auto handle = static_cast<int>(syscall(SYS_pidfd_open, pid, 0));
  std::unique_ptr<SandboxProcess> process(
      new SandboxProcess(pid, handle, ends[0], patience));
  const std::string what = process->Greet();
  if (!what.empty()) return Useless(program, what);
  return process;
}

// Failures after this are caused by a file: a missing library, another program
// of that name or too little memory to begin with show now.
std::string SandboxProcess::Greet() {
  const SandboxGreeting own = OwnGreeting();
  std::string text;
  EncodeGreeting(own, text);
  SandboxFrame reply{};
  Fault fault = SendFrame(SandboxMessage::kHello, AsBytes(text));
  if (fault == Fault::kNone) fault = ReceiveFrame(reply);
  if (fault == Fault::kSystem) return "cannot be waited for";
  if (fault == Fault::kGone) {
    return "ended before it said which version it is (run by hand, it may say "
           "why)";
  }
  if (fault == Fault::kSilent) {
    return "did not say which version it is within " +
           std::to_string(patience_.count()) + " ms";
  }
  // A program installed before greetings existed does not know this request.
  if (fault == Fault::kNone && reply.kind == SandboxMessage::kFailed) {
    return "is of an older version than this one (" + ToText(own) + ")";
  }
  const bool is_hello =
      fault == Fault::kNone && reply.kind == SandboxMessage::kHello;
  const auto other = DecodeGreeting(is_hello ? reply.payload : ByteView());
  if (!other.ok()) return "answered as no version of it does";
  if (*other == own) return "";
  return "is of another version (" + ToText(*other) + ") than this one (" +
         ToText(own) + ")";
}

SandboxProcess::~SandboxProcess() {
  close(socket_);
  if (pid_ > 0) {
    // The signal goes by the handle, since other code in this program may have
    // waited for any child, and the number may be another process's by now.
    if (handle_ >= 0) {
      syscall(SYS_pidfd_send_signal, handle_, SIGKILL, nullptr, 0);
    } else {
      kill(pid_, SIGKILL);
    }
    while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
  if (handle_ >= 0) close(handle_);
}

void SandboxProcess::Disown() { pid_ = -1; }

SandboxProcess::Fault SandboxProcess::Wait(short events,
                                           Clock::time_point deadline) {
  for (;;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        deadline - Clock::now());
    if (left.count() <= 0) return Fault::kSilent;
    pollfd waiting{socket_, events, 0};
    const int ready = poll(&waiting, 1, static_cast<int>(left.count()));
    if (ready > 0) return Fault::kNone;
    if (ready < 0 && errno != EINTR) return Fault::kSystem;
  }
}

SandboxProcess::Fault SandboxProcess::SendAll(ByteView bytes,
                                              Clock::time_point deadline) {
  while (!bytes.empty()) {
    const ssize_t count =
        send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (count > 0) {
      bytes = bytes.subspan(static_cast<std::size_t>(count));
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      const Fault fault = Wait(POLLOUT, deadline);
      if (fault != Fault::kNone) return fault;
    } else if (errno != EINTR) {
      return Fault::kGone;
    }
  }
  return Fault::kNone;
}

SandboxProcess::Fault SandboxProcess::ReceiveAll(std::span<std::byte> out,
                                                 Clock::time_point deadline) {
  while (!out.empty()) {
    const ssize_t count = recv(socket_, out.data(), out.size(), MSG_DONTWAIT);
    if (count > 0) {
      out = out.subspan(static_cast<std::size_t>(count));
    } else if (count == 0) {
      return Fault::kGone;
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      const Fault fault = Wait(POLLIN, deadline);
      if (fault != Fault::kNone) return fault;
    } else if (errno != EINTR) {
      return Fault::kGone;
    }
  }
  return Fault::kNone;
}

SandboxProcess::Fault SandboxProcess::SendFrame(SandboxMessage kind,
                                                ByteView payload) {
  const auto deadline = Clock::now() + patience_;
  std::byte header[kSandboxFrameHeader];
  StoreLe(static_cast<std::uint32_t>(kind), header);
  StoreLe(static_cast<std::uint32_t>(payload.size()), header + 4);
  const Fault fault = SendAll(header, deadline);
  return fault == Fault::kNone ? SendAll(payload, deadline) : fault;
}

SandboxProcess::Fault SandboxProcess::ReceiveFrame(SandboxFrame& frame) {
  // One deadline holds for all of a frame: bytes that trickle in do not prolong
  // it.
  const auto deadline = Clock::now() + patience_;
  std::byte header[kSandboxFrameHeader];
  Fault fault = ReceiveAll(header, deadline);
  if (fault != Fault::kNone) return fault;
  const auto size = LoadLe<std::uint32_t>(header + 4);
  if (size > kSandboxMaxPayload) return Fault::kNonsense;
  payload_.Resize(size);
  fault = ReceiveAll(payload_.span(), deadline);
  frame = {static_cast<SandboxMessage>(LoadLe<std::uint32_t>(header)),
           payload_.view()};
  return fault;
}

Status SandboxProcess::Blame(Fault fault) {
  switch (fault) {
    case Fault::kNone:
      return {};
    case Fault::kSilent:
      return Status(Code::kUnsupported,
                    "the HDF5 library ran too long on this file");
    case Fault::kSystem:
      return Status(Code::kFailed,
                    "cannot wait for the program that reads HDF5 files");
    default:
      // A process that sends nonsense was written over by its file. Whether the
      // file is damaged or the library wrong is unknown.
      return Status(Code::kFailed, "the HDF5 library crashed on this file");
  }
}

Status SandboxProcess::Send(SandboxMessage kind, ByteView payload) {
  return Blame(SendFrame(kind, payload));
}

Result<SandboxFrame> SandboxProcess::Receive() {
  SandboxFrame frame{};
  SHARDINE_RETURN_IF_ERROR(Blame(ReceiveFrame(frame)));
  return frame;
}

}  // namespace shardine
