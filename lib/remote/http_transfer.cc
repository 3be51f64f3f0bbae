#include "remote/http_transfer.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <exception>
#include <iterator>
#include <new>

#include "remote/host_kind.h"
#include "shardine/escape.h"

namespace shardine {
namespace {

constexpr long kBufferBytes = 64 << 10;
constexpr long kMaxRedirects = 5;
constexpr std::size_t kUnaskedBytes = 1 << 20;
// The limit for the page that comes with an error. Reading it keeps the
// connection.
constexpr std::uint64_t kMaxIgnored = 64 << 10;

// Errors that another try cannot mend.
bool IsFinal(CURLcode code) {
  switch (code) {
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_CERTPROBLEM:
    case CURLE_SSL_CIPHER:
    case CURLE_SSL_ISSUER_ERROR:
    case CURLE_SSL_INVALIDCERTSTATUS:
    case CURLE_SSL_PINNEDPUBKEYNOTMATCH:
    case CURLE_TOO_MANY_REDIRECTS:
    case CURLE_URL_MALFORMAT:
      return true;
    default:
      return false;
  }
}

// 204: it was done, and there is nothing to say.
bool IsGood(int status) {
  return status == 200 || status == 204 || status == 206;
}

}  // namespace

std::unique_ptr<HttpTransfer> HttpTransfer::Make(
    const CurlLibrary& curl, const RequestLimits& limits,
    const ConnectionSettings& settings) {
  CURL* const easy = curl.easy_init();
  if (easy == nullptr) return nullptr;
  std::unique_ptr<HttpTransfer> transfer(
      new HttpTransfer(curl, easy, settings));
  transfer->SetUp(limits);
  return transfer;
}

HttpTransfer::~HttpTransfer() {
  curl_.easy_cleanup(easy_);
  curl_.slist_free_all(headers_);
}

void HttpTransfer::SetUp(const RequestLimits& limits) {
  const auto set = [this](CURLoption option, auto value) {
    curl_.easy_setopt(easy_, option, value);
  };
  set(CURLOPT_PROTOCOLS_STR, "http,https");
  set(CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
  set(CURLOPT_NOSIGNAL, 1L);
  set(CURLOPT_BUFFERSIZE, kBufferBytes);
  set(CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(limits.connect.count()));
  set(CURLOPT_FOLLOWLOCATION, 1L);
  set(CURLOPT_MAXREDIRS, kMaxRedirects);
  set(CURLOPT_PATH_AS_IS, 1L);
  set(CURLOPT_DNS_SHUFFLE_ADDRESSES, 1L);
  set(CURLOPT_USERAGENT, "shardine");
  set(CURLOPT_ERRORBUFFER, error_);
  set(CURLOPT_PRIVATE, static_cast<void*>(this));
  set(CURLOPT_HEADERFUNCTION, &HttpTransfer::OnHead);
  set(CURLOPT_HEADERDATA, static_cast<void*>(this));
  set(CURLOPT_WRITEFUNCTION, &HttpTransfer::OnBody);
  set(CURLOPT_WRITEDATA, static_cast<void*>(this));
  set(CURLOPT_READFUNCTION, &HttpTransfer::OnSend);
  set(CURLOPT_READDATA, static_cast<void*>(this));
  set(CURLOPT_SEEKFUNCTION, &HttpTransfer::OnSeek);
  set(CURLOPT_SEEKDATA, static_cast<void*>(this));
  set(CURLOPT_PREREQFUNCTION, &HttpTransfer::OnReady);
  set(CURLOPT_PREREQDATA, static_cast<void*>(this));
  const std::string& certificates = settings_.certificates.empty()
                                        ? curl_.certificates
                                        : settings_.certificates;
  if (!certificates.empty()) set(CURLOPT_CAINFO, certificates.c_str());
}

bool HttpTransfer::Begin(const HttpRequest& request, bool is_hedge,
                         RemoteClock::time_point now) {
  aside_.reset();
  is_hedge_ = is_hedge;
  if (is_hedge && request.question.ask != Ask::kWhole) {
    aside_.reset(new (std::nothrow) std::byte[request.question.size]);
    if (aside_ == nullptr) return false;
  }
  request_ = &request;
  answer_ = HttpAnswer();
  verdict_ = {};
  judged_ = false;
  body_.clear();
  has_no_memory_ = false;
  refused_redirect_.clear();
  hops_ = 0;
  received_ = ignored_ = sent_ = moved_at_mark_ = 0;
  next_ = 0;
  begun_ = mark_ = now;
  error_[0] = '\0';
  SetHeaders(request);
  SetMethod(request);
  return true;
}

// The signer sets the address, too: it may know another.
void HttpTransfer::SetHeaders(const HttpRequest& request) {
  RequestSigner::Signed own{.url = request.url, .headers = {}};
  if (request.signer != nullptr) own = request.signer->Sign();
  curl_.slist_free_all(headers_);
  headers_ = curl_.slist_append(nullptr, "Accept-Encoding: identity");
  if (IsStrong(request.question.facts.etag)) {
    own.headers.push_back("If-Match: " + request.question.facts.etag);
  }
  if (request.anew) own.headers.emplace_back("Cache-Control: no-cache");
  std::ranges::copy(request.headers, std::back_inserter(own.headers));
  // Whether the server wants it is asked before much is sent, and takes a
  // second with one that does not know the question.
  if (request.has_body() && request.body.size() <= kUnaskedBytes) {
    own.headers.emplace_back("Expect:");
  }
  for (const std::string& line : own.headers) {
    headers_ = curl_.slist_append(headers_, line.c_str());
  }
  const auto set = [this](CURLoption option, auto value) {
    curl_.easy_setopt(easy_, option, value);
  };
  set(CURLOPT_HTTPHEADER, headers_);
  set(CURLOPT_URL, own.url.c_str());
  set(CURLOPT_FRESH_CONNECT, request.anew ? 1L : 0L);
  SetWay(request, own.url);
}

void HttpTransfer::SetWay(const HttpRequest& request, const std::string& url) {
  const auto set = [this](CURLoption option, auto value) {
    curl_.easy_setopt(easy_, option, value);
  };
  const bool is_plain = !url.starts_with("https:");
  const bool follows = request.signer == nullptr && !request.has_secret;
  set(CURLOPT_FOLLOWLOCATION, follows ? 1L : 0L);
  // A redirect stays within the scheme: no way from https to http, and none
  // from http to anything that the user did not name.
  set(CURLOPT_REDIR_PROTOCOLS_STR, is_plain ? "http" : "https");
  const bool is_direct =
      request.past_proxies || (request.has_secret && is_plain);
  const std::string& proxy = settings_.ProxyFor(url);
  has_proxy_ = !is_direct && !proxy.empty();
  // An empty text keeps the library from reading the environment.
  set(CURLOPT_PROXY, proxy.c_str());
  set(CURLOPT_NOPROXY, is_direct ? "*" : settings_.no_proxy.c_str());
}

bool HttpTransfer::MayGoOn(std::string_view connected_to) {
  char* url = nullptr;
  curl_.easy_getinfo(easy_, CURLINFO_EFFECTIVE_URL, &url);
  const std::string_view reached = url == nullptr ? "" : url;
  const std::size_t begin = reached.find("://");
  const std::string_view rest =
      begin == reached.npos ? "" : reached.substr(begin + 3);
  const std::string_view host = rest.substr(0, rest.find_first_of("/?#"));
  HostKind kind = KindOfHost(host.substr(host.rfind('@') + 1));
  // The host that a proxy connects to is not known here.
  if (kind == HostKind::kName && !has_proxy_) kind = KindOfHost(connected_to);
  const bool is_inside =
      kind == HostKind::kLoopback || kind == HostKind::kInside;
  if (hops_++ == 0) {
    began_inside_ = is_inside;
    return true;
  }
  if (began_inside_ || !is_inside) return true;
  refused_redirect_ =
      "a redirect from a public host to one of this machine or network, " +
      EscapeBytes(host).substr(0, 64) + ", which is not followed";
  return false;
}

// Before each request of the chain, on a connection that is there.
int HttpTransfer::OnReady(void* self, char* there, char* /*here*/, int /*port*/,
                          int /*own_port*/) {
  auto& transfer = *static_cast<HttpTransfer*>(self);
  const std::string_view to = there == nullptr ? "" : there;
  const bool goes_on =
      transfer.Guarded([&] { return transfer.MayGoOn(to) ? 1 : 0; }) > 0;
  return goes_on ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT;
}

void HttpTransfer::SetMethod(const HttpRequest& request) {
  const auto set = [this](CURLoption option, auto value) {
    curl_.easy_setopt(easy_, option, value);
  };
  const HttpQuestion& question = request.question;
  set(CURLOPT_HTTPGET, 1L);
  if (question.ask == Ask::kFacts) set(CURLOPT_NOBODY, 1L);
  if (request.has_body()) {
    set(CURLOPT_UPLOAD, 1L);
    set(CURLOPT_INFILESIZE_LARGE, static_cast<curl_off_t>(request.body.size()));
  }
  set(CURLOPT_CUSTOMREQUEST,
      request.method.empty() ? nullptr : request.method.c_str());
  std::string range;
  if (question.ask == Ask::kFirst || question.ask == Ask::kRange) {
    range = std::to_string(question.first) + "-" +
            std::to_string(question.first + question.size - 1);
  }
  set(CURLOPT_RANGE, range.empty() ? nullptr : range.c_str());
}

bool HttpTransfer::IsStalled(RemoteClock::time_point now, Milliseconds limit) {
  if (now - mark_ < limit) return false;
  const bool stalled = moved() - moved_at_mark_ < kStallBytes;
  mark_ = now;
  moved_at_mark_ = moved();
  return stalled;
}

std::size_t HttpTransfer::OnHead(char* data, std::size_t size,
                                 std::size_t count, void* self) {
  auto& transfer = *static_cast<HttpTransfer*>(self);
  const std::size_t bytes = size * count;
  return transfer.Guarded([&]() -> std::size_t {
    if (transfer.answer_.AddLine({data, bytes})) return bytes;
    transfer.verdict_.wrong = "an answer whose head has no end";
    transfer.judged_ = true;
    return 0;
  });
}

// Functions that libcurl calls must not throw through it: 0, which ends the
// try.
template <typename Work>
std::size_t HttpTransfer::Guarded(const Work& work) {
  try {
    return static_cast<std::size_t>(work());
  } catch (const std::exception&) {
    has_no_memory_ = true;
    return 0;
  }
}

void HttpTransfer::Judge() {
  if (judged_) return;
  judged_ = true;
  verdict_ = answer_.Judge(request_->question);
}

std::size_t HttpTransfer::OnBody(char* data, std::size_t size,
                                 std::size_t count, void* self) {
  auto& transfer = *static_cast<HttpTransfer*>(self);
  return transfer.Guarded([&] {
    return transfer.TakeBytes({data, size * count});
  });
}

std::size_t HttpTransfer::TakeBytes(std::string_view bytes) {
  if (!IsGood(answer_.status())) {
    ignored_ += bytes.size();
    if (ignored_ > kMaxIgnored) return 0;
    body_.append(bytes);
    return bytes.size();
  }
  Judge();
  if (!verdict_.wrong.empty()) return 0;
  if (bytes.size() > verdict_.body - received_) {
    verdict_.wrong = "more bytes than were asked for";
    return 0;
  }
  if (request_->question.ask == Ask::kWhole) {
    body_.append(bytes);
  } else {
    Place(received_, std::as_bytes(std::span(bytes)));
  }
  received_ += bytes.size();
  return bytes.size();
}

std::size_t HttpTransfer::OnSend(char* data, std::size_t size,
                                 std::size_t count, void* self) {
  auto& transfer = *static_cast<HttpTransfer*>(self);
  const std::span<const std::byte> left =
      transfer.request_->body.subspan(transfer.next_);
  const std::size_t bytes = std::min(size * count, left.size());
  std::copy_n(left.begin(), bytes, reinterpret_cast<std::byte*>(data));
  transfer.next_ += bytes;
  transfer.sent_ += bytes;
  return bytes;
}

// Where a connection that was kept turns out to be closed, the body is sent
// once more from its start.
int HttpTransfer::OnSeek(void* self, curl_off_t offset, int origin) {
  auto& transfer = *static_cast<HttpTransfer*>(self);
  if (origin != SEEK_SET || offset < 0 ||
      static_cast<std::size_t>(offset) > transfer.request_->body.size()) {
    return CURL_SEEKFUNC_FAIL;
  }
  transfer.next_ = static_cast<std::size_t>(offset);
  return CURL_SEEKFUNC_OK;
}

void HttpTransfer::Place(std::uint64_t at, std::span<const std::byte> bytes) {
  if (aside_ != nullptr) {
    std::memcpy(aside_.get() + at, bytes.data(), bytes.size());
    return;
  }
  const std::uint64_t begin = request_->question.first + at;
  const std::uint64_t end = begin + bytes.size();
  const std::vector<BodySegment>& segments = request_->segments;
  // The first that ends after `begin`.
  auto segment = std::ranges::upper_bound(
      segments, begin, {},
      [](const BodySegment& each) { return each.offset + each.out.size(); });
  for (; segment != segments.end() && segment->offset < end; ++segment) {
    const std::uint64_t from = std::max(begin, segment->offset);
    const std::uint64_t to =
        std::min(end, segment->offset + segment->out.size());
    std::memcpy(segment->out.data() + (from - segment->offset),
                bytes.data() + (from - begin), to - from);
  }
}

void HttpTransfer::Keep() {
  if (aside_ == nullptr) return;
  const std::unique_ptr<std::byte[]> bytes = std::move(aside_);
  Place(0, std::span(bytes.get(), received_));
}

bool HttpTransfer::LedToFolder() const {
  char* url = nullptr;
  curl_.easy_getinfo(easy_, CURLINFO_EFFECTIVE_URL, &url);
  const std::string_view reached = url == nullptr ? "" : url;
  return reached.ends_with('/') && !request_->url.ends_with('/');
}

TryFacts HttpTransfer::facts_of_try() const {
  const auto seconds = [this](CURLINFO what) {
    curl_off_t microseconds = 0;
    curl_.easy_getinfo(easy_, what, &microseconds);
    return static_cast<double>(microseconds) * 1e-6;
  };
  long connections = 0;
  curl_.easy_getinfo(easy_, CURLINFO_NUM_CONNECTS, &connections);
  return {.first_byte = seconds(CURLINFO_STARTTRANSFER_TIME_T),
          .whole = seconds(CURLINFO_TOTAL_TIME_T),
          .connections = static_cast<std::uint64_t>(std::max(connections, 0L)),
          .was_connected = seconds(CURLINFO_PRETRANSFER_TIME_T) > 0};
}

TransferEnd HttpTransfer::End(CURLcode code) {
  if (!refused_redirect_.empty()) {
    return {.kind = TransferEnd::kFinal, .words = refused_redirect_};
  }
  if (has_no_memory_ || code == CURLE_OUT_OF_MEMORY) {
    return TransferEnd::NoMemory();
  }
  // Our own refusals come back as failures to write.
  if (!verdict_.wrong.empty() || code == CURLE_OK) return EndOfAnswer();
  // The server closes the connection on a body that it refuses.
  if (code == CURLE_SEND_ERROR && answer_.status() >= 400) {
    return EndOfRefusal();
  }
  return EndOfFailure(code);
}

TransferEnd HttpTransfer::EndOfAnswer() {
  const int status = answer_.status();
  if (request_->question.ask == Ask::kFirst && answer_.IsOfEmptyObject()) {
    return {.kind = TransferEnd::kDone};
  }
  if (IsGood(status) || !verdict_.wrong.empty()) {
    Judge();
    if (!verdict_.wrong.empty()) {
      return {.kind = verdict_.changed ? TransferEnd::kChanged
                                       : TransferEnd::kWrong,
              .code = verdict_.changed ? Code::kChanged : Code::kRemote,
              .words = verdict_.wrong};
    }
    const bool whole = request_->question.ask == Ask::kFacts ||
                       verdict_.at_most || received_ == verdict_.body;
    if (whole) return {.kind = TransferEnd::kDone};
    return {.words = "the answer ended early"};
  }
  return EndOfRefusal();
}

TransferEnd HttpTransfer::EndOfRefusal() const {
  const int status = answer_.status();
  TransferEnd end{.kind = TransferEnd::kFinal,
                  .words = answer_.words(),
                  .retry_after = answer_.retry_after(),
                  .request_id = answer_.request_id()};
  bool again = IsWorthATry(status);
  if (request_->signer != nullptr) {
    RequestSigner::Meaning meaning = request_->signer->Explain(answer_, body_);
    again = again || meaning.again;
    if (!meaning.words.empty()) end.words = std::move(meaning.words);
    if (end.request_id.empty()) end.request_id = std::move(meaning.request_id);
  }
  if (again) {
    end.kind = TransferEnd::kAgain;
  } else if (status == 412 || status == 416) {
    end.kind = TransferEnd::kChanged;
    end.code = Code::kChanged;
    if (request_->only_reads()) {
      end.words = "the server has another object now (" + end.words + ")";
    }
  } else if (status == 404 || status == 410) {
    end.code = Code::kNotFound;
  }
  return end;
}

TransferEnd HttpTransfer::EndOfFailure(CURLcode code) const {
  const std::string_view said =
      error_[0] != '\0' ? error_ : curl_.easy_strerror(code);
  // Behind the head of a redirect its address has a scheme that is not
  // followed; or else these bytes are no HTTP, even at the end of a redirect.
  const bool is_foreign = code == CURLE_UNSUPPORTED_PROTOCOL &&
                          answer_.status() != 0 &&
                          said.find("HTTP/0.9") == std::string_view::npos;
  const bool is_final = IsFinal(code) || is_foreign;
  return {.kind = is_final ? TransferEnd::kFinal : TransferEnd::kAgain,
          .words = EscapeBytes(said.substr(0, 256)),
          .retry_after = answer_.retry_after()};
}

}  // namespace shardine
