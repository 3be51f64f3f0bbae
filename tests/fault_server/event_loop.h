// Serves any number of connections on one thread.
#ifndef SHARDINE_FAULT_SERVER_EVENT_LOOP_H_
#define SHARDINE_FAULT_SERVER_EVENT_LOOP_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <queue>
#include <unordered_map>
#include <vector>

#include "fault_server/client_connection.h"

namespace shardine::fault_server {

class EventLoop {
 public:
  EventLoop(ObjectService& service, LinkBudget& link);
  ~EventLoop();
  EventLoop(const EventLoop&) = delete;
  EventLoop& operator=(const EventLoop&) = delete;

  // Listens on any port of 127.0.0.1. Returns the port, 0 if there is none.
  std::uint16_t Listen();
  // Runs until standard input ends.
  void Run();

 private:
  // Other connections reuse descriptors, never numbers.
  struct Alarm {
    ServerClock::time_point at;
    std::uint64_t connection;
    bool operator>(const Alarm& other) const { return at > other.at; }
  };

  void Accept();
  void GoOn(std::uint64_t connection);
  void RingAlarms();
  int MillisecondsToAlarm() const;

  ObjectService& service_;
  LinkBudget& link_;
  const int epoll_;
  int listener_ = -1;
  std::uint64_t last_ = 0;
  std::unordered_map<std::uint64_t, std::unique_ptr<ClientConnection>>
      connections_;
  std::priority_queue<Alarm, std::vector<Alarm>, std::greater<>> alarms_;
};

}  // namespace shardine::fault_server

#endif  // SHARDINE_FAULT_SERVER_EVENT_LOOP_H_
