#include "fault_server/event_loop.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>

namespace shardine::fault_server {

namespace {

// Numbers of connections begin above these.
constexpr std::uint64_t kListener = 0;
constexpr std::uint64_t kInput = 1;

void Watch(int epoll, int fd, std::uint32_t events, std::uint64_t name) {
  struct epoll_event event {};
  event.events = events;
  event.data.u64 = name;
  // Fails for an input that always can be read, a file: then nothing ends it.
  ::epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event);
}

}  // namespace

EventLoop::EventLoop(ObjectService& service, LinkBudget& link)
    : service_(service),
      link_(link),
      epoll_(::epoll_create1(EPOLL_CLOEXEC)),
      last_(kInput) {}

EventLoop::~EventLoop() {
  connections_.clear();
  if (listener_ >= 0) ::close(listener_);
  ::close(epoll_);
}

std::uint16_t EventLoop::Listen() {
  listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  struct sockaddr_in address {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = ::htonl(INADDR_LOOPBACK);
  auto* const any = reinterpret_cast<struct sockaddr*>(&address);
  socklen_t size = sizeof address;
  if (::bind(listener_, any, size) != 0 || ::listen(listener_, 4096) != 0 ||
      ::getsockname(listener_, any, &size) != 0)
    return 0;
  Watch(epoll_, listener_, EPOLLIN, kListener);
  return ::ntohs(address.sin_port);
}

void EventLoop::Run() {
  Watch(epoll_, STDIN_FILENO, EPOLLIN, kInput);
  std::array<struct epoll_event, 256> events;
  while (true) {
    const int count =
        ::epoll_wait(epoll_, events.data(), static_cast<int>(events.size()),
                     MillisecondsToAlarm());
    for (int i = 0; i < count; ++i) {
      const std::uint64_t name = events[static_cast<std::size_t>(i)].data.u64;
      char byte;
      if (name == kInput && ::read(STDIN_FILENO, &byte, 1) <= 0) return;
      if (name == kListener) Accept();
      if (name > kInput) GoOn(name);
    }
    RingAlarms();
  }
}

void EventLoop::Accept() {
  while (true) {
    const int fd =
        ::accept4(listener_, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd < 0) return;
    const int on = 1;
    ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    connections_[++last_] =
        std::make_unique<ClientConnection>(fd, service_, link_);
    Watch(epoll_, fd, EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET, last_);
  }
}

void EventLoop::GoOn(std::uint64_t connection) {
  const auto at = connections_.find(connection);
  if (at == connections_.end()) return;
  const ClientConnection::Wait wait = at->second->GoOn(ServerClock::now());
  if (wait.over)
    connections_.erase(at);
  else if (wait.until)
    alarms_.push({*wait.until, connection});
}

void EventLoop::RingAlarms() {
  const auto now = ServerClock::now();
  while (!alarms_.empty() && alarms_.top().at <= now) {
    const std::uint64_t connection = alarms_.top().connection;
    alarms_.pop();
    GoOn(connection);
  }
}

int EventLoop::MillisecondsToAlarm() const {
  if (alarms_.empty()) return -1;
  const auto left =
      std::chrono::ceil<Milliseconds>(alarms_.top().at - ServerClock::now());
  return static_cast<int>(std::clamp<Milliseconds::rep>(left.count(), 0, 1000));
}

}  // namespace shardine::fault_server
