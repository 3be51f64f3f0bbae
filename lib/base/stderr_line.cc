#include "base/stderr_line.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

namespace shardine {

void SayWithoutWaiting(const std::string& line) {
  struct stat facts;
  const bool is_file =
      ::fstat(STDERR_FILENO, &facts) == 0 && S_ISREG(facts.st_mode);
  if (is_file) {
    static_cast<void>(::write(STDERR_FILENO, line.data(), line.size()) < 0);
    return;
  }
  // Opened a second time: the flag for waiting writes belongs to the open file,
  // which other processes share.
  const int own =
      ::open("/proc/self/fd/2", O_WRONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
  if (own < 0) {
    // A socket, which cannot be opened.
    static_cast<void>(::send(STDERR_FILENO, line.data(), line.size(),
                             MSG_DONTWAIT | MSG_NOSIGNAL) < 0);
    return;
  }
  static_cast<void>(::write(own, line.data(), line.size()) < 0);
  ::close(own);
}

}  // namespace shardine
