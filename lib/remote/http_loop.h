// The loop of the engine's thread (remote/http_engine.h).
#ifndef SHARDINE_REMOTE_HTTP_LOOP_H_
#define SHARDINE_REMOTE_HTTP_LOOP_H_

#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "remote/http_engine.h"
#include "remote/http_transfer.h"
#include "remote/request_meter.h"

namespace shardine {

// A request on its way, with the tries of it that are under way.
struct HttpFetch {
  HttpRequest request;
  HttpEngine::Done done;
  std::stop_token stop;
  std::optional<std::stop_callback<std::function<void()>>> stopper;
  std::string host;  // "https://host:8443"

  std::vector<std::unique_ptr<HttpTransfer>> transfers;
  unsigned tries = 0;
  unsigned wrong = 0;  // answers that were none
  RemoteClock::time_point begun{};
  RemoteClock::time_point progress{};
  std::uint64_t best = 0;  // bytes that the best try received
  RemoteClock::time_point next_try{};
  TransferEnd last{};  // why the last try failed
  std::string request_id;
  Status no_memory;  // made while there was some
  bool ended = false;
};

// A list goes from one place to another without memory.
using HttpFetches = std::list<std::shared_ptr<HttpFetch>>;

class HttpEngine::Loop {
 public:
  Loop(const CurlLibrary& curl, const RequestLimits& limits,
       ConnectionSettings settings);
  ~Loop();
  // False: libcurl does not start.
  bool is_ready() const { return multi_ != nullptr; }
  // May throw std::system_error.
  void StartThread();

  void Add(HttpFetches fetches);
  void Wake() const { curl_.multi_wakeup(multi_); }
  void Shut();
  RemoteStats stats() const { return meter_.stats(); }

 private:
  using Time = RemoteClock::time_point;

  void Run();
  // One turn; whether it was the last.
  bool Turn();
  void EndAll(Status (*why)(HttpFetch&));
  void TakeNew(Time now);
  void Watch(HttpFetch& fetch, Time now);
  // Tells the user the reason of a long wait.
  void SayLate(const HttpFetch& fetch, Time now);
  void Try(HttpFetch& fetch, bool is_hedge, Time now);
  void TakeEnds(Time now);
  void TakeEnd(HttpFetch& fetch, HttpTransfer& transfer, CURLcode code);
  void Fail(HttpFetch& fetch, const TransferEnd& end);
  void End(HttpFetch& fetch, HttpOutcome outcome);
  // Without the thread's own: for requests that were never begun.
  static void Complete(HttpFetch& fetch, HttpOutcome outcome);
  // Takes the try out of libcurl; its handle serves the next one.
  void Drop(HttpFetch& fetch, std::size_t place);
  Milliseconds PatienceWith(const HttpFetch& fetch, Time now) const;
  void GiveUpHost(const HttpFetch& fetch, Time now);
  std::uint64_t Draw();

  const CurlLibrary& curl_;
  const RequestLimits limits_;
  const ConnectionSettings settings_;
  CURLM* const multi_;

  std::mutex mutex_;
  HttpFetches new_;    // guarded by mutex_
  bool shut_ = false;  // guarded by mutex_

  // The thread's own.
  HttpFetches waiting_;
  HttpFetches active_;
  std::vector<std::unique_ptr<HttpTransfer>> idle_;
  std::set<std::string> known_hosts_;       // that have answered
  std::map<std::string, Time> down_until_;  // that were waited for in vain
  HedgeRule hedges_;
  SlotLimit slots_;
  std::size_t under_way_ = 0;  // tries
  std::size_t ended_ = 0;      // of active_ and waiting_
  std::uint32_t draws_ = 0;
  Time watched_{};
  std::optional<Time> said_late_;

  RequestMeter meter_;
  std::thread thread_;
};

}  // namespace shardine

#endif  // SHARDINE_REMOTE_HTTP_LOOP_H_
