// The requests of this process: one thread, libcurl's multi interface, HTTP/1.1
// over connections that are kept. It retries failed requests, sends late ones
// twice, and ends those that take too long (remote/request_policy.h), so that
// each request ends with its bytes or with a Status that names the failure. For
// a request without progress for 10 s it prints a line on standard error, and
// no more than one line in 10 s.
#ifndef SHARDINE_REMOTE_HTTP_ENGINE_H_
#define SHARDINE_REMOTE_HTTP_ENGINE_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "remote/http_answer.h"
#include "remote/http_request.h"
#include "remote/request_policy.h"
#include "shardine/remote_stats.h"
#include "shardine/status.h"

namespace shardine {

struct HttpOutcome {
  // kRemote, kNotFound (the server says so), kChanged, kCancelled, with the
  // address and the first byte asked for.
  Status status = {};
  int http_status = 0;     // of the last answer; 0: there was none
  ObjectFacts facts = {};  // as of that answer
  std::optional<std::int64_t> date = {};  // by the server's clock, since 1970
  std::uint64_t received = 0;             // bytes of the body
  bool is_folder = false;  // redirects led to an address that ends with `/`
  std::string body = {};   // of kWhole
};

// Thread-safe.
class HttpEngine {
 public:
  // Called once, on the engine's thread: it must not wait for another request.
  using Done = std::function<void(HttpOutcome)>;

  // The engine of this process, made when it is first asked for; after a fork,
  // the child's own. It ends all requests under way when the process ends. The
  // environment sets its patience and how much it asks for at a time:
  // SHARDINE_REMOTE_PATIENCE, in seconds, SHARDINE_REMOTE_REQUESTS.
  // kUnsupported: see LoadCurl(); kFailed: no thread can be started;
  // kInvalidArgument: no such number.
  static Result<HttpEngine*> OfProcess();

  // kUnsupported, kFailed as above.
  static Result<std::unique_ptr<HttpEngine>> Make(const RequestLimits& limits);
  // Ends all requests under way: kCancelled.
  ~HttpEngine();

  // Begins a request. The memory of its segments must stay until `done` was
  // called, which a request of `stop` brings about soon: kCancelled.
  void Start(HttpRequest request, const std::stop_token& stop, Done done);
  struct Order {
    HttpRequest request;
    Done done;
  };
  // The same of several: memory is taken for all of them before the first one
  // begins, so that one which fails leaves none behind.
  void StartAll(std::vector<Order> orders, const std::stop_token& stop);
  // Start() and wait.
  HttpOutcome Get(HttpRequest request, const std::stop_token& stop);
  // StartAll() and wait for all, in their order.
  std::vector<HttpOutcome> GetAll(std::vector<HttpRequest> requests,
                                  const std::stop_token& stop);

  // Ends all requests under way, and all later ones: kCancelled.
  void Shut();
  // Since it was made, but for credentials_fetched, which are the process's.
  RemoteStats stats() const;

 private:
  class Loop;
  explicit HttpEngine(std::shared_ptr<Loop> loop);

  std::shared_ptr<Loop> loop_;
};

}  // namespace shardine

#endif  // SHARDINE_REMOTE_HTTP_ENGINE_H_
