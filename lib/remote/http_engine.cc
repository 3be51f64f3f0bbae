#include "remote/http_engine.h"

#include <pthread.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <latch>
#include <mutex>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/status_macros.h"
#include "remote/cache_counts.h"
#include "remote/credential_source.h"
#include "remote/http_loop.h"

namespace shardine {
namespace {

std::mutex& ProcessMutex() {
  static auto* const mutex = new std::mutex;
  return *mutex;
}
HttpEngine* of_process = nullptr;  // guarded by ProcessMutex()

// The thread stayed in the parent, with its connections: the child makes an
// engine of its own and leaves this one alone.
void RegisterFork() {
  pthread_atfork([] { ProcessMutex().lock(); }, [] { ProcessMutex().unlock(); },
                 [] {
                   of_process = nullptr;
                   ResetCacheCounts();
                   ProcessMutex().unlock();
                 });
}

// Libraries for TLS clean up when the process ends, under a thread that would
// still use them.
void ShutAtExit() {
  HttpEngine* engine = nullptr;
  {
    const std::lock_guard lock(ProcessMutex());
    engine = of_process;
  }
  if (engine != nullptr) engine->Shut();
}

// What a variable says; nullopt: it is not set.
Result<std::optional<int>> NumberIn(const char* name, int most) {
  const char* const text = std::getenv(name);
  if (text == nullptr || *text == '\0') return std::optional<int>();
  const std::string_view digits(text);
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

// By a user who knows the server better.
Result<RequestLimits> LimitsOfProcess() {
  RequestLimits limits;
  SHARDINE_ASSIGN_OR_RETURN(
      const auto requests,
      NumberIn("SHARDINE_REMOTE_REQUESTS", static_cast<int>(limits.requests)));
  if (requests) limits.requests = static_cast<std::size_t>(*requests);
  SHARDINE_ASSIGN_OR_RETURN(const auto seconds,
                            NumberIn("SHARDINE_REMOTE_PATIENCE", 86'400));
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

Result<HttpEngine*> HttpEngine::OfProcess() {
  const std::lock_guard lock(ProcessMutex());
  if (of_process != nullptr) return of_process;
  SHARDINE_ASSIGN_OR_RETURN(const RequestLimits limits, LimitsOfProcess());
  Result<std::unique_ptr<HttpEngine>> made = Make(limits);
  if (!made.ok()) return std::move(made).status();
  static std::once_flag once;
  std::call_once(once, [] {
    RegisterFork();
    std::atexit(ShutAtExit);
  });
  of_process = (*std::move(made)).release();
  return of_process;
}

Result<std::unique_ptr<HttpEngine>> HttpEngine::Make(
    const RequestLimits& limits) {
  Result<const CurlLibrary*> curl = LoadCurl();
  if (!curl.ok()) return std::move(curl).status();
  auto loop = std::make_shared<Loop>(**curl, limits);
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
  const std::lock_guard lock(ProcessMutex());
  RemoteStats stats =
      of_process == nullptr ? RemoteStats() : of_process->stats();
  AddCacheCounts(stats);
  return stats;
}

void HttpEngine::Start(HttpRequest request, const std::stop_token& stop,
                       Done done) {
  auto fetch = std::make_shared<HttpFetch>();
  const std::size_t host = request.url.find("://") + 3;
  fetch->host = request.url.substr(0, request.url.find('/', host));
  fetch->request = std::move(request);
  fetch->done = std::move(done);
  fetch->stop = stop;
  // It wakes the thread, which looks who was stopped.
  if (stop.stop_possible()) {
    fetch->stopper.emplace(stop, [loop = loop_] { loop->Wake(); });
  }
  loop_->Add(std::move(fetch));
}

HttpOutcome HttpEngine::Get(HttpRequest request, const std::stop_token& stop) {
  HttpOutcome outcome;
  std::latch ended(1);
  Start(std::move(request), stop, [&](HttpOutcome each) {
    outcome = std::move(each);
    ended.count_down();
  });
  ended.wait();
  return outcome;
}

}  // namespace shardine
