// A request for bytes of an object on a server, and where they go; or with
// bytes that are sent there.
#ifndef SHARDINE_REMOTE_HTTP_REQUEST_H_
#define SHARDINE_REMOTE_HTTP_REQUEST_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "remote/http_answer.h"

namespace shardine {

// Where bytes of an object go.
struct BodySegment {
  std::uint64_t offset = 0;  // in the object
  std::span<std::byte> out;
};

// RequestSigner: makes requests a user's own at one service. Used by the
// engine's thread alone, and never waits.
class RequestSigner {
 public:
  virtual ~RequestSigner() = default;

  // The parts of a try that begins now: its address, and "Name: value" of its
  // headers.
  struct Signed {
    std::string url;
    std::vector<std::string> headers;
  };
  virtual Signed Sign() = 0;

  // The meaning of an answer with a failure: `words` for people, and whether
  // the same request, signed again, may have another.
  struct Meaning {
    std::string words;
    std::string request_id;
    bool again = false;
  };
  virtual Meaning Explain(const HttpAnswer& answer, std::string_view body) = 0;
};

struct HttpRequest {
  std::string url;   // Url::text()
  std::string name;  // of the object, for people
  HttpQuestion question;
  // In order, apart from each other, within the question's range. kWhole has
  // none: the body comes with the outcome.
  std::vector<BodySegment> segments;
  std::string method = {};  // empty: GET, or HEAD for kFacts
  // The bytes to be sent; the memory must stay until the request has ended. Its
  // methods are PUT and POST.
  std::span<const std::byte> body = {};
  std::vector<std::string> headers = {};  // "Name: value", beside the usual
  std::shared_ptr<RequestSigner> signer = {};  // redirects are not followed
  bool past_proxies = false;
  // It carries a secret or fetches one: redirects are not followed either, and
  // by http:// no proxy is told.
  bool has_secret = false;
  // The bytes before were wrong: over a connection of its own, past caches.
  bool anew = false;

  // Whether it changes nothing, so that sending it twice at a time is harmless.
  bool only_reads() const { return method.empty(); }
  bool has_body() const { return method == "PUT" || method == "POST"; }
};

}  // namespace shardine

#endif  // SHARDINE_REMOTE_HTTP_REQUEST_H_
