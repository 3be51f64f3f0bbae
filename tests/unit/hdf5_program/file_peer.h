// The other end of a Parent's socket, in a thread: gives it the bytes of a file
// and counts how often it is asked.
#ifndef SHARDINE_TESTS_UNIT_HDF5_PROGRAM_FILE_PEER_H_
#define SHARDINE_TESTS_UNIT_HDF5_PROGRAM_FILE_PEER_H_

#include <sys/socket.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "hdf5/sandbox/program/parent.h"
#include "shard/extent.h"

namespace shardine {

class FilePeer {
 public:
  explicit FilePeer(std::string contents = {})
      : contents_(std::move(contents)) {
    REQUIRE(socketpair(AF_UNIX, SOCK_STREAM, 0, ends_) == 0);
    thread_ = std::jthread([this] { Serve(); });
  }
  FilePeer(const FilePeer&) = delete;
  FilePeer& operator=(const FilePeer&) = delete;
  ~FilePeer() {
    shutdown(ends_[1], SHUT_RDWR);
    thread_.join();
    close(ends_[0]);
    close(ends_[1]);
  }

  // The end for the Parent.
  int socket() const { return ends_[0]; }

  void SetContents(std::string contents) {
    const std::lock_guard lock(mutex_);
    contents_ = std::move(contents);
  }
  // Answers with a byte too few from now on, or no more.
  void SetShort(bool is_short) {
    const std::lock_guard lock(mutex_);
    short_ = is_short;
  }
  // The extents that were asked for since the last call.
  std::vector<Extent> TakeAsked() {
    const std::lock_guard lock(mutex_);
    return std::exchange(asked_, {});
  }

 private:
  void Serve() {
    std::byte request[kSandboxFrameHeader + 16];
    while (recv(ends_[1], request, sizeof(request), MSG_WAITALL) ==
           static_cast<ssize_t>(sizeof(request))) {
      const std::lock_guard lock(mutex_);
      const Extent place{
          LoadLe<std::uint64_t>(request + kSandboxFrameHeader),
          LoadLe<std::uint64_t>(request + kSandboxFrameHeader + 8)};
      asked_.push_back(place);
      const std::string bytes = contents_.substr(
          static_cast<std::size_t>(place.offset),
          static_cast<std::size_t>(place.length) - (short_ ? 1 : 0));
      std::string reply;
      AppendLe(static_cast<std::uint32_t>(SandboxMessage::kReadReply), reply);
      AppendLe(static_cast<std::uint32_t>(bytes.size()), reply);
      reply += bytes;
      for (std::string_view left = reply; !left.empty();) {
        const ssize_t sent =
            send(ends_[1], left.data(), left.size(), MSG_NOSIGNAL);
        if (sent <= 0) return;
        left.remove_prefix(static_cast<std::size_t>(sent));
      }
    }
  }

  int ends_[2] = {-1, -1};
  std::mutex mutex_;
  std::string contents_;       // guarded by mutex_
  bool short_ = false;         // guarded by mutex_
  std::vector<Extent> asked_;  // guarded by mutex_
  std::jthread thread_;
};

}  // namespace shardine

#endif  // SHARDINE_TESTS_UNIT_HDF5_PROGRAM_FILE_PEER_H_
