// A connection of a client: takes its requests one after the other and plays
// the answers.
#ifndef SHARDINE_FAULT_SERVER_CLIENT_CONNECTION_H_
#define SHARDINE_FAULT_SERVER_CLIENT_CONNECTION_H_

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>

#include "fault_server/answer_script.h"
#include "fault_server/link_budget.h"
#include "fault_server/object_service.h"

namespace shardine::fault_server {

class ClientConnection {
 public:
  // The event that it waits for.
  struct Wait {
    bool over = false;  // for nothing: to be destroyed
    std::optional<ServerClock::time_point> until;  // else until bytes can go
  };

  // Takes over a socket that does not block. The others must outlive it.
  ClientConnection(int fd, ObjectService& service, LinkBudget& link)
      : fd_(fd), service_(service), link_(link) {}
  ~ClientConnection();
  ClientConnection(const ClientConnection&) = delete;
  ClientConnection& operator=(const ClientConnection&) = delete;

  // Plays the script as far as it goes now.
  Wait GoOn(ServerClock::time_point now);

 private:
  enum class Played { kAll, kBlocked, kPaused, kOver };

  bool Receive();  // whether the client is still there
  bool TakeRequest(ServerClock::time_point now);
  Played Play(ServerClock::time_point now);
  Played PlayText(const AnswerStep& step);
  Played PlayFile(const AnswerStep& step, ServerClock::time_point now);
  void BeginStep(std::size_t step, ServerClock::time_point now);
  void EndAnswer();
  void Reset();

  const int fd_;
  ObjectService& service_;
  LinkBudget& link_;
  std::string received_;
  unsigned requests_ = 0;

  // The answer under way.
  std::optional<AnswerScript> script_;
  bool counted_ = false;
  std::size_t step_ = 0;
  std::uint64_t sent_ = 0;  // bytes of the step
  ServerClock::time_point not_before_{};
};

}  // namespace shardine::fault_server

#endif  // SHARDINE_FAULT_SERVER_CLIENT_CONNECTION_H_
