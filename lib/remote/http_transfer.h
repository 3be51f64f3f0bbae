// One try of one request, over libcurl's multi interface. For one thread: the
// engine's (remote/http_engine.h).
#ifndef SHARDINE_REMOTE_HTTP_TRANSFER_H_
#define SHARDINE_REMOTE_HTTP_TRANSFER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "remote/connection_settings.h"
#include "remote/curl_library.h"
#include "remote/http_answer.h"
#include "remote/http_request.h"
#include "remote/request_meter.h"
#include "remote/request_policy.h"
#include "shardine/status.h"

namespace shardine {

// How a try ended.
struct TransferEnd {
  enum Kind : std::uint8_t {
    kDone,
    kAgain,     // the network or the server failed
    kNoMemory,  // this process has none
    kWrong,     // not an answer to the question
    kChanged,   // the object is another one than before
    kFinal,     // another try would end in the same way
  };
  Kind kind = kAgain;
  Code code = Code::kRemote;
  std::string words = {};
  std::optional<std::uint64_t> retry_after = {};  // seconds
  std::string request_id = {};

  static TransferEnd NoMemory() {
    return {kNoMemory, Code::kFailed, "out of memory"};
  }
};

class HttpTransfer {
 public:
  // Its easy handle is made once and used for many tries.
  static std::unique_ptr<HttpTransfer> Make(const CurlLibrary& curl,
                                            const RequestLimits& limits,
                                            const ConnectionSettings& settings);
  ~HttpTransfer();
  HttpTransfer(const HttpTransfer&) = delete;
  HttpTransfer& operator=(const HttpTransfer&) = delete;

  // Sets the handle up. `request` must stay until End(). Bytes of a hedge
  // are kept in memory of its own until Keep(). False: no memory for that.
  bool Begin(const HttpRequest& request, bool is_hedge,
             RemoteClock::time_point now);
  CURL* handle() const { return easy_; }

  std::uint64_t received() const { return received_; }
  // Bytes of bodies, there and back: the measure of progress.
  std::uint64_t moved() const { return received_ + sent_; }
  const HttpAnswer& answer() const { return answer_; }
  RemoteClock::time_point begun() const { return begun_; }
  // Less than kStallBytes moved in the last `limit`, nor came the end.
  bool IsStalled(RemoteClock::time_point now, Milliseconds limit);

  bool is_hedge() const { return is_hedge_; }
  TryFacts facts_of_try() const;

  // Called once libcurl reports the end.
  TransferEnd End(CURLcode code);
  // Puts the received bytes where they belong. REQUIRES: End() said kDone.
  void Keep();
  const ObjectFacts& facts() const { return verdict_.facts; }
  // The body of a kWhole.
  std::string TakeBody() { return std::move(body_); }
  // Whether redirects ended at the address of a folder.
  bool LedToFolder() const;

 private:
  HttpTransfer(const CurlLibrary& curl, CURL* easy,
               const ConnectionSettings& settings)
      : curl_(curl), easy_(easy), settings_(settings) {}
  void SetUp(const RequestLimits& limits);
  void SetHeaders(const HttpRequest& request);
  void SetMethod(const HttpRequest& request);
  void SetWay(const HttpRequest& request, const std::string& url);
  // Whether the next request of a chain of redirects may be sent.
  bool MayGoOn(std::string_view connected_to);
  TransferEnd EndOfAnswer();
  TransferEnd EndOfRefusal() const;
  TransferEnd EndOfFailure(CURLcode code) const;
  void Place(std::uint64_t at, std::span<const std::byte> bytes);
  void Judge();
  std::size_t TakeBytes(std::string_view bytes);
  template <typename Work>
  std::size_t Guarded(const Work& work);
  static std::size_t OnHead(char* data, std::size_t size, std::size_t count,
                            void* self);
  static std::size_t OnBody(char* data, std::size_t size, std::size_t count,
                            void* self);
  static std::size_t OnSend(char* data, std::size_t size, std::size_t count,
                            void* self);
  static int OnSeek(void* self, curl_off_t offset, int origin);
  static int OnReady(void* self, char* there, char* here, int port,
                     int own_port);

  const CurlLibrary& curl_;
  CURL* const easy_;
  const ConnectionSettings& settings_;
  char error_[CURL_ERROR_SIZE] = {};
  curl_slist* headers_ = nullptr;
  const HttpRequest* request_ = nullptr;
  std::unique_ptr<std::byte[]> aside_;
  std::string body_;  // of kWhole, or of an answer with an error
  HttpAnswer answer_;
  HttpAnswer::Verdict verdict_;
  bool judged_ = false;
  bool is_hedge_ = false;
  bool has_proxy_ = false;
  bool has_no_memory_ = false;
  unsigned hops_ = 0;             // requests of this try
  bool began_inside_ = false;     // the first went to this machine or network
  std::string refused_redirect_;  // why the chain ends
  std::uint64_t received_ = 0;    // of a body that is kept
  std::uint64_t ignored_ = 0;     // of one that is not
  std::size_t next_ = 0;          // of the request's body
  std::uint64_t sent_ = 0;        // never less than before
  RemoteClock::time_point begun_;
  RemoteClock::time_point mark_;
  std::uint64_t moved_at_mark_ = 0;
};

}  // namespace shardine

#endif  // SHARDINE_REMOTE_HTTP_TRANSFER_H_
