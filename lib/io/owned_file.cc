#include "io/owned_file.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <ctime>
#include <fstream>
#include <iterator>
#include <sstream>
#include <utility>

#include "io/random_token.h"
#include "shardine/escape.h"

namespace shardine {
namespace {

std::string HostName() {
  char host[256] = {};
  static_cast<void>(::gethostname(host, sizeof host - 1));
  return host;
}

std::string Now() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  ::gmtime_r(&now, &parts);
  char text[32] = {};
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

std::string TextIn(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

struct Owner {
  std::string host;
  long process = 0;
  std::string since;

  static Owner Parse(const std::string& text) {
    std::istringstream words(text);
    Owner owner;
    words >> owner.host >> owner.process >> owner.since;
    return owner;
  }
  bool IsGone() const {
    return process > 0 && host == HostName() &&
           ::kill(static_cast<pid_t>(process), 0) != 0 && errno == ESRCH;
  }
};

// Appears with its text or not at all. False: something has the name.
Result<bool> PutNew(const std::string& path, const std::string& text) {
  const std::string part = path + "." + RandomToken();
  const int file =
      ::open(part.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (file < 0) return Status::FromErrno(errno, "create", part);
  const bool is_written = ::write(file, text.data(), text.size()) ==
                          static_cast<ssize_t>(text.size());
  ::close(file);
  const int linked =
      is_written ? ::link(part.c_str(), path.c_str()) : (errno = EIO, -1);
  const int error = errno;
  ::unlink(part.c_str());
  if (linked == 0) return true;
  if (error == EEXIST) return false;
  return Status::FromErrno(error, "link", path);
}

}  // namespace

OwnedFile::OwnedFile(std::string path, std::string text)
    : path_(std::move(path)), text_(std::move(text)), process_(::getpid()) {}

Result<std::unique_ptr<OwnedFile>> OwnedFile::Make(const std::string& path) {
  const std::string text = HostName() + " " + std::to_string(::getpid()) + " " +
                           Now() + " " + RandomToken() + "\n";
  for (int attempt = 0; attempt < 2; ++attempt) {
    const Result<bool> is_new = PutNew(path, text);
    if (!is_new.ok()) return is_new.status();
    if (*is_new) return std::unique_ptr<OwnedFile>(new OwnedFile(path, text));
    const Owner owner = Owner::Parse(TextIn(path));
    if (attempt == 0 && owner.IsGone()) {
      ::unlink(path.c_str());
      continue;
    }
    return Status(Code::kAlreadyExists,
                  "process " + std::to_string(owner.process) + " of " +
                      EscapeBytes(owner.host).substr(0, 64) + " since " +
                      EscapeBytes(owner.since).substr(0, 32) +
                      "; if it is gone, remove the file")
        .At({.path = path});
  }
  return Status(Code::kAlreadyExists, "another process took the lock")
      .At({.path = path});
}

OwnedFile::~OwnedFile() {
  if (::getpid() == process_ && TextIn(path_) == text_) {
    ::unlink(path_.c_str());
  }
}

std::string OwnedFile::weakness() const {
  return "the file system knows no locks: " + path_ +
         " says who is at work, and stays where this machine stops";
}

}  // namespace shardine
