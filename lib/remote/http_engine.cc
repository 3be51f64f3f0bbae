#include "remote/http_engine.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <latch>
#include <mutex>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/fork_mutex.h"
#include "base/status_macros.h"
#include "remote/cache_counts.h"
#include "remote/connection_settings.h"
#include "remote/credential_source.h"
#include "remote/http_loop.h"
#include "shardine/environment.h"

namespace shardine {
namespace {

// Guarded by ForkMutex().
constinit HttpEngine* of_process = nullptr;
constinit bool is_registered = false;

// The thread stayed in the parent, with its connections: the child makes an
// engine of its own and leaves this one alone.
void ForgetParent() {
  of_process = nullptr;
  ResetCacheCounts();
}

// Libraries for TLS clean up when the process ends, under a thread that would
// still use them.
void ShutAtExit() {
  HttpEngine* engine = nullptr;
  {
    const std::lock_guard lock(ForkMutex());
    engine = of_process;
  }
  if (engine != nullptr) engine->Shut();
}

// The value of a variable; nullopt: it is not set.
Result<std::optional<int>> NumberIn(const Environment& environment,
                                    const char* name, int most) {
  const std::string digits = environment.Of(name);
  if (digits.empty()) return std::optional<int>();
  int number = 0;
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc() || end != digits.data() + digits.size() ||
      number < 1 || number > most) {
    return Status(Code::kInvalidArgument, std::string(name) +
                                              " is to be a number from 1 to " +
                                              std::to_string(most));
  }
  return std::optional(number);
}

// The limits by the variables of a user with knowledge of the server.
Result<RequestLimits> LimitsIn(const Environment& environment) {
  RequestLimits limits;
  SHARDINE_ASSIGN_OR_RETURN(const auto requests,
                            NumberIn(environment, "SHARDINE_REMOTE_REQUESTS",
                                     static_cast<int>(limits.requests)));
  if (requests) limits.requests = static_cast<std::size_t>(*requests);
  SHARDINE_ASSIGN_OR_RETURN(
      const auto seconds,
      NumberIn(environment, "SHARDINE_REMOTE_PATIENCE", 86'400));
  if (!seconds) return limits;
  limits.patience = std::chrono::seconds(*seconds);
  // Several tries fit into it.
  limits.stall = std::min(limits.stall, limits.patience / 4);
  limits.connect = std::min(limits.connect, limits.patience / 2);
  return limits;
}

}  // namespace

HttpEngine::HttpEngine(std::shared_ptr<Loop> loop) : loop_(std::move(loop)) {}

HttpEngine::~HttpEngine() { Shut(); }

namespace {

HttpEngine* ExistingEngine() {
  const std::lock_guard lock(ForkMutex());
  return of_process;
}

// Where several threads make an engine at a time, the first becomes the
// process's.
HttpEngine* Publish(std::unique_ptr<HttpEngine>& made) {
  AtForkInChild(ForgetParent);
  const std::lock_guard lock(ForkMutex());
  if (!std::exchange(is_registered, true)) std::atexit(ShutAtExit);
  if (of_process == nullptr) of_process = made.release();
  return of_process;
}

}  // namespace

// Nothing is made under the lock: a fork would wait for it.
Result<HttpEngine*> HttpEngine::OfProcess() {
  if (HttpEngine* const there = ExistingEngine()) return there;
  SHARDINE_ASSIGN_OR_RETURN(const RequestLimits limits,
                            LimitsIn(Environment::Latest()));
  SHARDINE_ASSIGN_OR_RETURN(std::unique_ptr<HttpEngine> made, Make(limits));
  return Publish(made);
}

Result<std::unique_ptr<HttpEngine>> HttpEngine::Make(
    const RequestLimits& limits) {
  Result<const CurlLibrary*> curl = LoadCurl();
  if (!curl.ok()) return std::move(curl).status();
  auto loop = std::make_shared<Loop>(
      **curl, limits, ConnectionSettingsOf(Environment::Latest()));
  if (!loop->is_ready()) return Status(Code::kFailed, "libcurl does not start");
  try {
    loop->StartThread();
  } catch (const std::system_error& error) {
    return Status(Code::kFailed,
                  std::string("no thread can be started: ") + error.what());
  }
  return std::unique_ptr<HttpEngine>(new HttpEngine(std::move(loop)));
}

void HttpEngine::Shut() { loop_->Shut(); }

RemoteStats HttpEngine::stats() const {
  RemoteStats stats = loop_->stats();
  stats.credentials_fetched = CredentialSource::fetches();
  return stats;
}

RemoteStats RemoteStatsOfProcess() {
  const HttpEngine* const engine = ExistingEngine();
  RemoteStats stats = engine == nullptr ? RemoteStats() : engine->stats();
  AddCacheCounts(stats);
  return stats;
}

void HttpEngine::Start(HttpRequest request, const std::stop_token& stop,
                       Done done) {
  std::vector<Order> orders;
  orders.push_back({.request = std::move(request), .done = std::move(done)});
  StartAll(std::move(orders), stop);
}

void HttpEngine::StartAll(std::vector<Order> orders,
                          const std::stop_token& stop) {
  HttpFetches fetches;
  for (Order& order : orders) {
    auto fetch = std::make_shared<HttpFetch>();
    const std::string& url = order.request.url;
    fetch->host = url.substr(0, url.find('/', url.find("://") + 3));
    fetch->request = std::move(order.request);
    fetch->done = std::move(order.done);
    fetch->stop = stop;
    fetch->no_memory = Status(Code::kFailed, TransferEnd::NoMemory().words)
                           .At({.path = fetch->request.name});
    // A stop wakes the thread, which looks for the stopped requests.
    if (stop.stop_possible()) {
      fetch->stopper.emplace(stop, [loop = loop_] { loop->Wake(); });
    }
    fetches.push_back(std::move(fetch));
  }
  loop_->Add(std::move(fetches));
}

HttpOutcome HttpEngine::Get(HttpRequest request, const std::stop_token& stop) {
  std::vector<HttpRequest> requests;
  requests.push_back(std::move(request));
  return std::move(GetAll(std::move(requests), stop).front());
}

std::vector<HttpOutcome> HttpEngine::GetAll(std::vector<HttpRequest> requests,
                                            const std::stop_token& stop) {
  std::vector<HttpOutcome> outcomes(requests.size());
  std::latch ended(static_cast<std::ptrdiff_t>(requests.size()));
  std::vector<Order> orders;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    orders.push_back({.request = std::move(requests[i]),
                      .done = [&outcomes, &ended, i](HttpOutcome outcome) {
                        outcomes[i] = std::move(outcome);
                        ended.count_down();
                      }});
  }
  StartAll(std::move(orders), stop);
  ended.wait();
  return outcomes;
}

}  // namespace shardine
