// A server's answer to a request, and its times: a script that a connection
// plays.
#ifndef SHARDINE_FAULT_SERVER_ANSWER_SCRIPT_H_
#define SHARDINE_FAULT_SERVER_ANSWER_SCRIPT_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace shardine::fault_server {

using Milliseconds = std::chrono::milliseconds;

// A file that is open.
class OpenFile {
 public:
  explicit OpenFile(int fd) : fd_(fd) {}
  ~OpenFile();
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  int fd() const { return fd_; }

 private:
  const int fd_;
};

// A pause, then text, then bytes of a file.
struct AnswerStep {
  Milliseconds pause{0};
  std::string text;
  std::shared_ptr<OpenFile> file = nullptr;
  std::uint64_t first = 0;  // bytes of the file: from here
  std::uint64_t end = 0;    // to before here
  // Where above 0, so many bytes of the file at a time, each behind the pause.
  std::uint64_t piece = 0;
  bool for_ever = false;  // the step is played again and again
};

struct AnswerScript {
  enum class End { kKeep, kClose, kReset };

  std::vector<AnswerStep> steps;
  End end = End::kKeep;  // the connection's fate
};

}  // namespace shardine::fault_server

#endif  // SHARDINE_FAULT_SERVER_ANSWER_SCRIPT_H_
