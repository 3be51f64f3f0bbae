// shardine-hdf5-scan: reads the structure of HDF5 files for a parent process,
// which may be damaged or hostile: faults of libhdf5 stay in this process. It
// is given a socket as standard input and nothing else; sandbox_protocol.h
// describes its messages.
#include <hdf5.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdio>
#include <memory>
#include <new>

#include "hdf5/sandbox/program/lzf_filter.h"
#include "hdf5/sandbox/program/remote_driver.h"
#include "hdf5/sandbox/program/scanned_file.h"
#include "hdf5/sandbox/sandbox_greeting.h"

// Sanitizers take more memory than any file.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SHARDINE_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SHARDINE_SANITIZED 1
#endif
#endif

namespace shardine {
namespace {

// The bound is per request. The parent's patience ends sooner; this is for when
// it died.
constexpr rlim_t kSeconds = 60;

// Closes the files that the parent has open without close-on-exec: a file that
// takes this process over could read them, and their locks would outlast their
// owner's.
void CloseInherited() {
  constexpr unsigned kFirst = STDERR_FILENO + 1;
#ifdef SYS_close_range
  if (syscall(SYS_close_range, kFirst, ~0U, 0U) == 0) return;
#endif
  // Kernels before 5.9 close one at a time.
  const long most = sysconf(_SC_OPEN_MAX);
  for (int file = kFirst; file < most; ++file) close(file);
}

void LimitMemory() {
  const rlimit none = {0, 0};
  setrlimit(RLIMIT_CORE, &none);
#ifndef SHARDINE_SANITIZED
  constexpr rlim_t kMemory = rlim_t{1} << 30;
  const rlimit memory = {kMemory, kMemory};
  setrlimit(RLIMIT_AS, &memory);
#endif
}

void LimitTime() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  rlimit limit{};
  getrlimit(RLIMIT_CPU, &limit);
  // Only the soft limit is set: a hard one could not be raised for the next
  // request.
  limit.rlim_cur = static_cast<rlim_t>(used.ru_utime.tv_sec) +
                   static_cast<rlim_t>(used.ru_stime.tv_sec) + kSeconds;
  setrlimit(RLIMIT_CPU, &limit);
}

// References to rows of variable length go out as they are in the file.
herr_t KeepReferences(hid_t, hid_t, H5T_cdata_t* data, std::size_t, std::size_t,
                      std::size_t, void*, void*, hid_t) {
  if (data->command == H5T_CONV_INIT) data->need_bkg = H5T_BKG_NO;
  return 0;
}

bool PrepareLibrary() {
  H5dont_atexit();
  // Code from a folder of plugins is not to run because a file asks for it.
  if (H5open() < 0 || H5PLset_loading_state(0) < 0) return false;
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  const hid_t sequence = H5Tvlen_create(H5T_STD_U8LE);
  const hid_t string = H5Tcopy(H5T_C_S1);
  H5Tset_size(string, H5T_VARIABLE);
  const hid_t opaque = H5Tcreate(H5T_OPAQUE, 16);
  const bool registered = H5Tregister(H5T_PERS_SOFT, "sequences", sequence,
                                      opaque, KeepReferences) >= 0 &&
                          H5Tregister(H5T_PERS_SOFT, "strings", string, opaque,
                                      KeepReferences) >= 0;
  H5Tclose(sequence);
  H5Tclose(string);
  H5Tclose(opaque);
  return registered && RegisterLzfFilter();
}

class Server {
 public:
  explicit Server(int socket)
      : parent_(socket), access_(MakeRemoteAccess(parent_)) {}

  [[noreturn]] void Serve() {
    for (;;) {
      const Parent::Frame frame = parent_.Receive();
      LimitTime();
      try {
        if (frame.kind == SandboxMessage::kHello) {
          Greet();
          continue;
        }
        Answer(frame);
        parent_.Send(SandboxMessage::kDone, {});
      } catch (const SandboxFailure& failure) {
        Fail(failure);
      } catch (const std::bad_alloc&) {
        Fail(OutOfMemory());
      }
    }
  }

 private:
  void Fail(const SandboxFailure& failure) {
    const std::string_view text = failure.text;
    parent_.Send(
        failure.damage ? SandboxMessage::kFailed : SandboxMessage::kCannot,
        AsBytes(text.substr(0, 1000)));
  }

  // The parent decides whether the versions match, since it can report an
  // error.
  void Greet() {
    std::string text;
    EncodeGreeting(OwnGreeting(), text);
    parent_.Send(SandboxMessage::kHello, AsBytes(text));
  }

  void Answer(const Parent::Frame& frame) {
    ByteCursor cursor(frame.payload);
    if (frame.kind == SandboxMessage::kClose) {
      if (file_ != nullptr && !file_->Close())
        throw SandboxFailure{"not closed"};
      file_.reset();
      return;
    }
    if (frame.kind == SandboxMessage::kOpen) {
      std::uint64_t size = 0;
      if (!cursor.Read(size)) throw SandboxFailure{"no size"};
      file_.reset();
      parent_.SetFile(size);
      file_ = std::make_unique<ScannedFile>(parent_, access_);
      return;
    }
    if (frame.kind == SandboxMessage::kSplits && file_ != nullptr) {
      file_->SendSplits();
      return;
    }
    const bool is_known = frame.kind == SandboxMessage::kRows ||
                          frame.kind == SandboxMessage::kChunks;
    std::uint64_t dataset = 0;
    if (frame.kind == SandboxMessage::kUnwritten && file_ != nullptr &&
        cursor.Read(dataset)) {
      file_->SendUnwritten(dataset);
      return;
    }
    std::uint64_t first = 0;
    std::uint64_t count = 0;
    if (!is_known || !cursor.Read(dataset) || !cursor.Read(first) ||
        !cursor.Read(count) || file_ == nullptr) {
      throw SandboxFailure{"no such request"};
    }
    if (frame.kind == SandboxMessage::kRows) {
      file_->SendRows(dataset, first, count);
    } else {
      file_->SendChunks(dataset, first, count);
    }
  }

  Parent parent_;
  hid_t access_;
  std::unique_ptr<ScannedFile> file_;
};

}  // namespace
}  // namespace shardine

int main() {
  sockaddr address{};
  socklen_t size = sizeof(address);
  if (getsockname(STDIN_FILENO, &address, &size) != 0) {
    std::fprintf(stderr,
                 "shardine-hdf5-scan is started by shardine, never by hand\n");
    return 2;
  }
  shardine::CloseInherited();
  shardine::LimitMemory();
  if (!shardine::PrepareLibrary()) return 1;
  shardine::Server(STDIN_FILENO).Serve();
}
