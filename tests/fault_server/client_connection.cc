#include "fault_server/client_connection.h"

#include <sys/sendfile.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace shardine::fault_server {

namespace {

constexpr std::uint64_t kMostAtOnce = 256 << 10;
constexpr char kEndOfHead[] = "\r\n\r\n";

bool WouldBlock() { return errno == EAGAIN || errno == EWOULDBLOCK; }

}  // namespace

ClientConnection::~ClientConnection() {
  EndAnswer();
  ::close(fd_);
}

ClientConnection::Wait ClientConnection::GoOn(ServerClock::time_point now) {
  if (!Receive()) return {.over = true, .until = {}};
  while (script_ || TakeRequest(now)) {
    switch (Play(now)) {
      case Played::kOver:
        return {.over = true, .until = {}};
      case Played::kBlocked:
        return {};
      case Played::kPaused:
        return {.over = false, .until = not_before_};
      case Played::kAll:
        break;
    }
    const AnswerScript::End end = script_->end;
    if (end == AnswerScript::End::kReset) Reset();
    EndAnswer();
    if (end != AnswerScript::End::kKeep) return {.over = true, .until = {}};
  }
  return {};
}

bool ClientConnection::Receive() {
  char bytes[16 << 10];
  while (true) {
    const ssize_t got = ::recv(fd_, bytes, sizeof bytes, MSG_DONTWAIT);
    if (got <= 0) return got < 0 && WouldBlock();
    received_.append(bytes, static_cast<std::size_t>(got));
  }
}

bool ClientConnection::TakeRequest(ServerClock::time_point now) {
  const std::size_t end = received_.find(kEndOfHead);
  if (end == std::string::npos) return false;
  const auto request = ParseRequest(std::string_view(received_).substr(0, end));
  received_.erase(0, end + sizeof kEndOfHead - 1);
  if (!request) {
    script_ = AnswerScript{{}, AnswerScript::End::kClose};
  } else {
    counted_ = request->path != ObjectService::kCountsPath;
    if (counted_) service_.counts().Begin();
    script_ = service_.Answer(*request, requests_++);
  }
  BeginStep(0, now);
  return true;
}

ClientConnection::Played ClientConnection::Play(ServerClock::time_point now) {
  while (step_ < script_->steps.size()) {
    if (now < not_before_) return Played::kPaused;
    const AnswerStep& step = script_->steps[step_];
    Played played = PlayText(step);
    if (played == Played::kAll) played = PlayFile(step, now);
    if (played != Played::kAll) return played;
    BeginStep(step.for_ever ? step_ : step_ + 1, now);
  }
  return Played::kAll;
}

ClientConnection::Played ClientConnection::PlayText(const AnswerStep& step) {
  while (sent_ < step.text.size()) {
    const ssize_t sent =
        ::send(fd_, step.text.data() + sent_, step.text.size() - sent_,
               MSG_NOSIGNAL | MSG_DONTWAIT | (step.file ? MSG_MORE : 0));
    if (sent < 0) return WouldBlock() ? Played::kBlocked : Played::kOver;
    sent_ += static_cast<std::uint64_t>(sent);
  }
  return Played::kAll;
}

ClientConnection::Played ClientConnection::PlayFile(
    const AnswerStep& step, ServerClock::time_point now) {
  const std::uint64_t text = step.text.size();
  while (sent_ - text < step.end - step.first) {
    auto at = static_cast<off_t>(step.first + sent_ - text);
    const std::uint64_t rest = step.end - static_cast<std::uint64_t>(at);
    const std::uint64_t most =
        std::min(rest, step.piece > 0 ? step.piece : kMostAtOnce);
    const std::uint64_t room = link_.Take(most, now);
    if (room == 0) {
      not_before_ = now + Milliseconds(1);
      return Played::kPaused;
    }
    const ssize_t sent = ::sendfile(fd_, step.file->fd(), &at, room);
    const std::uint64_t went = sent > 0 ? static_cast<std::uint64_t>(sent) : 0;
    link_.GiveBack(room - went);
    sent_ += went;
    service_.counts().AddBytes(went);
    if (sent < 0) return WouldBlock() ? Played::kBlocked : Played::kOver;
    if (went == 0) return Played::kOver;  // the file is shorter than it was
    if (step.piece == 0) continue;
    not_before_ = now + step.pause;
    return Played::kPaused;
  }
  return Played::kAll;
}

void ClientConnection::BeginStep(std::size_t step,
                                 ServerClock::time_point now) {
  step_ = step;
  sent_ = 0;
  if (step < script_->steps.size())
    not_before_ = now + script_->steps[step].pause;
}

void ClientConnection::EndAnswer() {
  if (counted_) service_.counts().End();
  counted_ = false;
  script_.reset();
}

void ClientConnection::Reset() {
  // No time to linger: the connection ends with RST.
  const struct linger none = {1, 0};
  ::setsockopt(fd_, SOL_SOCKET, SO_LINGER, &none, sizeof none);
}

}  // namespace shardine::fault_server
