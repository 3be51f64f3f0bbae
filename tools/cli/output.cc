#include "cli/output.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>

#include "shardine/printable.h"

namespace shardine {
namespace {

constexpr std::size_t kOutputBufferSize = std::size_t{1} << 16;

}  // namespace

void GuardStandardStreams() {
  for (int descriptor = 0; descriptor <= 2; ++descriptor) {
    if (fcntl(descriptor, F_GETFD) >= 0 || errno != EBADF) continue;
    // open() takes the lowest free number: this one. Opened the wrong way
    // round, so that reading or writing fails as it does on a closed one.
    const int opened = open("/dev/null", descriptor == 0 ? O_WRONLY : O_RDONLY);
    static_cast<void>(opened);
  }
  signal(SIGPIPE, SIG_IGN);
}

Status Output::Write(std::string_view text) {
  return WriteBytes(PrintableText(text));
}

Status Output::WriteBytes(std::string_view bytes) {
  if (buffer_.size() + bytes.size() > kOutputBufferSize) {
    if (Status status = Flush(); !status.ok()) return status;
  }
  if (bytes.size() > kOutputBufferSize) return WriteOut(bytes);
  buffer_ += bytes;
  return Status();
}

Status Output::Flush() {
  Status status = WriteOut(buffer_);
  buffer_.clear();
  return status;
}

Status Output::WriteOut(std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(descriptor_, text.data(), text.size());
    if (written < 0) {
      if (errno == EINTR) continue;
      reader_gone_ = errno == EPIPE;
      return Status::FromErrno(errno, "write", "standard output");
    }
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return Status();
}

}  // namespace shardine
