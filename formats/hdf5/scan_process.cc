#include "hdf5/scan_process.h"

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

extern "C" char** environ;

namespace shardine {
namespace {

// What a signal handler, mask or group of this process means nothing to the
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
    return posix_spawn(pid, program.c_str(), &files_, &attributes_, arguments,
                       environ);
  }

 private:
  posix_spawn_file_actions_t files_;
  posix_spawnattr_t attributes_;
};

Status Gone() {
  return Status(Code::kCorrupt, "the HDF5 library crashed on this file");
}

// Of no file: `program` was not given one yet.
Status Useless(const std::string& program, const std::string& why) {
  return Status(Code::kFailed,
                "HDF5 files are read by this program, and it " + why +
                    ": install shardine again, or set SHARDINE_LIBEXEC_DIR to "
                    "the folder of one that works")
      .At({.path = program});
}

// What is wrong with the program, and not with this machine at the moment.
bool CannotRun(int error) {
  return error == ENOENT || error == EACCES || error == ENOEXEC;
}

}  // namespace

Result<std::unique_ptr<ScanProcess>> ScanProcess::Start(
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
    if (CannotRun(error)) return Useless(program, "cannot be run");
    return Status::FromErrno(error, "start", program);
  }
  const auto handle = static_cast<int>(syscall(SYS_pidfd_open, pid, 0));
  std::unique_ptr<ScanProcess> process(
      new ScanProcess(pid, handle, ends[0], patience));
  if (!process->Greet()) return Useless(program, "does not answer");
  return process;
}

// What fails from here on is a file's doing: a library that is missing, another
// program of that name or too little memory to begin with show now.
bool ScanProcess::Greet() {
  if (!Send(ScanMessage::kClose, {}).ok()) return false;
  const auto reply = Receive();
  return reply.ok() && reply->kind == ScanMessage::kDone;
}

ScanProcess::~ScanProcess() {
  close(socket_);
  if (pid_ > 0) {
    // By the handle, since somebody else in this program may have waited for
    // any child, and the number may be another process's by now.
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

void ScanProcess::Disown() { pid_ = -1; }

Status ScanProcess::Wait(short events, Clock::time_point deadline) {
  for (;;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        deadline - Clock::now());
    if (left.count() <= 0) {
      return Status(Code::kCorrupt,
                    "the HDF5 library ran too long on this file");
    }
    pollfd waiting{socket_, events, 0};
    const int ready = poll(&waiting, 1, static_cast<int>(left.count()));
    if (ready > 0) return {};
    if (ready < 0 && errno != EINTR) {
      return Status::FromErrno(errno, "wait for", "shardine-hdf5-scan");
    }
  }
}

Status ScanProcess::SendAll(ByteView bytes, Clock::time_point deadline) {
  while (!bytes.empty()) {
    const ssize_t count =
        send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (count > 0) {
      bytes = bytes.subspan(static_cast<std::size_t>(count));
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      SHARDINE_RETURN_IF_ERROR(Wait(POLLOUT, deadline));
    } else if (errno != EINTR) {
      return Gone();
    }
  }
  return {};
}

Status ScanProcess::ReceiveAll(std::span<std::byte> out,
                               Clock::time_point deadline) {
  while (!out.empty()) {
    const ssize_t count = recv(socket_, out.data(), out.size(), MSG_DONTWAIT);
    if (count > 0) {
      out = out.subspan(static_cast<std::size_t>(count));
    } else if (count == 0) {
      return Gone();
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      SHARDINE_RETURN_IF_ERROR(Wait(POLLIN, deadline));
    } else if (errno != EINTR) {
      return Gone();
    }
  }
  return {};
}

Status ScanProcess::Send(ScanMessage kind, ByteView payload) {
  const auto deadline = Clock::now() + patience_;
  std::byte header[kScanFrameHeader];
  StoreLe(static_cast<std::uint32_t>(kind), header);
  StoreLe(static_cast<std::uint32_t>(payload.size()), header + 4);
  SHARDINE_RETURN_IF_ERROR(SendAll(header, deadline));
  return SendAll(payload, deadline);
}

Result<ScanFrame> ScanProcess::Receive() {
  const auto deadline = Clock::now() + patience_;
  std::byte header[kScanFrameHeader];
  SHARDINE_RETURN_IF_ERROR(ReceiveAll(header, deadline));
  const auto size = LoadLe<std::uint32_t>(header + 4);
  if (size > kScanMaxPayload) return Gone();
  payload_.Resize(size);
  SHARDINE_RETURN_IF_ERROR(ReceiveAll(payload_.span(), deadline));
  return ScanFrame{static_cast<ScanMessage>(LoadLe<std::uint32_t>(header)),
                   payload_.view()};
}

}  // namespace shardine
