#include "remote/s3_signer.h"

#include <cstdint>
#include <ctime>
#include <map>
#include <mutex>
#include <utility>

#include "base/fork_mutex.h"
#include "base/made_once.h"
#include "base/status_macros.h"
#include "remote/s3_answer.h"
#include "shardine/escape.h"

namespace shardine {
namespace {

constexpr std::size_t kMaxMessage = 160;

// Where buckets turned out to be, by "endpoint bucket".
class BucketRegions {
 public:
  static std::string Of(const std::string& bucket, const std::string& guess) {
    const std::lock_guard lock(ForkMutex());
    const auto found = Known().find(bucket);
    return found == Known().end() ? guess : found->second;
  }
  static void Set(const std::string& bucket, const std::string& region) {
    const std::lock_guard lock(ForkMutex());
    Known()[bucket] = region;
  }

 private:
  static std::map<std::string, std::string>& Known() {
    static constinit MadeOnce<std::map<std::string, std::string>> known;
    return known.Get();
  }
};

// How far the clock of a service is from ours, in seconds.
class Skews {
 public:
  static std::int64_t Of(const std::string& service) {
    const std::lock_guard lock(ForkMutex());
    const auto found = Known().find(service);
    return found == Known().end() ? 0 : found->second;
  }
  // Whether it is another than before.
  static bool Set(const std::string& service, std::int64_t skew) {
    const std::lock_guard lock(ForkMutex());
    return std::exchange(Known()[service], skew) != skew;
  }

 private:
  static std::map<std::string, std::int64_t>& Known() {
    static constinit MadeOnce<std::map<std::string, std::int64_t>> known;
    return known.Get();
  }
};

std::string_view TextOf(std::span<const std::byte> body) {
  return {reinterpret_cast<const char*>(body.data()), body.size()};
}

class S3Signer : public RequestSigner {
 public:
  S3Signer(const CryptoLibrary& crypto, S3Settings settings, S3Address address,
           const S3Action& action)
      : crypto_(crypto),
        settings_(std::move(settings)),
        address_(std::move(address)),
        method_(action.method.empty() ? "GET" : action.method),
        query_(action.query),
        headers_(action.headers),
        sha256_(ToHex(crypto.Digest(TextOf(action.body)))),
        bucket_(settings_.endpoint.url + " " + address_.bucket) {}

  // kInvalidArgument: an endpoint that is no address.
  Result<S3Url> PlaceIn(const std::string& region) const {
    SHARDINE_ASSIGN_OR_RETURN(S3Url url,
                              S3UrlOf(settings_.endpoint, region, address_));
    url.query = query_;
    return url;
  }
  std::string region() const {
    return BucketRegions::Of(bucket_, settings_.region);
  }

  Signed Sign() override {
    const std::string region = this->region();
    const Result<S3Url> url = PlaceIn(region);
    // It was one when the request was made, and a region changes no more.
    if (!url.ok()) return {};
    Signed made{.url = url->text(), .headers = {}};
    std::map<std::string, std::string> headers = headers_;
    if (settings_.requester_pays) headers["x-amz-request-payer"] = "requester";
    if (settings_.credentials == nullptr) {
      for (const auto& [name, value] : headers_) {
        made.headers.emplace_back(name).append(": ").append(value);
      }
      return made;
    }
    signed_with_ = settings_.credentials->Last();
    made.headers =
        SignV4(crypto_, signed_with_, {.region = region, .service = "s3"},
               {.method = method_,
                .host = url->host,
                .path = url->path,
                .query = url->query,
                .headers = std::move(headers),
                .payload_sha256 = sha256_},
               std::time(nullptr) + Skews::Of(settings_.endpoint.url));
    return made;
  }

  Meaning Explain(const HttpAnswer& answer, std::string_view body) override {
    const S3Error error = ParseS3Error(body);
    Meaning meaning{
        .words = answer.words(),
        .request_id = EscapeBytes(error.request_id).substr(0, 64),
        .again = IsMoved(answer, error) || IsRenewed(answer, error)};
    if (!error.code.empty()) {
      meaning.words = std::to_string(answer.status()) + " " +
                      EscapeBytes(error.code).substr(0, 64);
    }
    if (!error.message.empty()) {
      meaning.words += ": " + EscapeBytes(error.message).substr(0, kMaxMessage);
    }
    const bool is_passing =
        error.code == "RequestTimeout" || error.code == "InternalError" ||
        error.code == "SlowDown" || error.code == "ServiceUnavailable" ||
        error.code == "OperationAborted" ||
        error.code == "ConditionalRequestConflict";
    meaning.again = meaning.again || is_passing;
    return meaning;
  }

 private:
  bool IsMoved(const HttpAnswer& answer, const S3Error& error) const {
    const int status = answer.status();
    if (status != 301 && status != 307 && status != 400) return false;
    const std::string& there =
        answer.region().empty() ? error.region : answer.region();
    if (!IsS3Region(there) || there == region()) return false;
    BucketRegions::Set(bucket_, there);
    return true;
  }

  bool IsRenewed(const HttpAnswer& answer, const S3Error& error) const {
    if (error.code == "RequestTimeTooSkewed" && answer.date()) {
      const std::int64_t now = *answer.date() - std::time(nullptr);
      return Skews::Set(settings_.endpoint.url, now);
    }
    const bool is_expired = error.code == "ExpiredToken" ||
                            error.code == "ExpiredTokenException" ||
                            error.code == "TokenRefreshRequired";
    return is_expired && settings_.credentials != nullptr &&
           settings_.credentials->Renew(signed_with_);
  }

  const CryptoLibrary& crypto_;
  const S3Settings settings_;
  const S3Address address_;
  const std::string method_;
  const std::string query_;
  const std::map<std::string, std::string> headers_;
  const std::string sha256_;  // of the body
  const std::string bucket_;
  Credentials signed_with_;
};

}  // namespace

Result<HttpRequest> MakeS3Request(const S3Settings& settings,
                                  const S3Address& address,
                                  const S3Action& action) {
  SHARDINE_ASSIGN_OR_RETURN(const CryptoLibrary* const crypto,
                            CryptoLibrary::Load());
  if (settings.credentials != nullptr) {
    SHARDINE_RETURN_IF_ERROR(settings.credentials->Get().status());
  }
  auto signer = std::make_shared<S3Signer>(*crypto, settings, address, action);
  SHARDINE_ASSIGN_OR_RETURN(const S3Url url, signer->PlaceIn(signer->region()));
  HttpRequest request;
  request.url = url.text();
  request.name = "s3://" + address.bucket + "/" + address.key;
  request.signer = std::move(signer);
  request.method = action.method;
  request.body = action.body;
  return request;
}

}  // namespace shardine
