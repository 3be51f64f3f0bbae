#include "io/s3_place.h"

#include <algorithm>
#include <chrono>
#include <future>
#include <stop_token>
#include <utility>

#include "base/status_macros.h"
#include "io/path_scheme.h"
#include "io/s3_listing.h"

namespace shardine {
namespace {

constexpr std::uint64_t kMaxAnswer = 1 << 20;
constexpr std::chrono::seconds kAtEnd{1};

}  // namespace

Result<S3Settings> S3SettingsFor(const Environment& environment,
                                 const std::string& path) {
  const RemoteOptions options = RemoteOptionsOf(path);
  Result<S3Settings> settings = SchemeOf(path) == "gs"
                                    ? FindGoogleSettings(environment, options)
                                    : FindS3Settings(environment, options);
  if (settings.ok()) return settings;
  return std::move(settings).status().At({.path = path});
}

Result<S3Place> S3PlaceOf(const Environment& environment,
                          const std::string& path) {
  SHARDINE_ASSIGN_OR_RETURN(S3Address address, ParseS3Address(path));
  if (address.key.empty() || address.key.ends_with('/')) {
    return Status(Code::kInvalidArgument, "is no name of an object")
        .At({.path = path});
  }
  SHARDINE_ASSIGN_OR_RETURN(S3Settings settings,
                            S3SettingsFor(environment, path));
  return S3Place{.settings = std::move(settings),
                 .address = std::move(address),
                 .path = path};
}

Result<S3Place> S3PlaceOf(const std::string& path) {
  return S3PlaceOf(Environment::Current(), path);
}

Result<HttpRequest> MakeS3Request(const S3Place& place,
                                  const S3Action& action) {
  Result<HttpRequest> request =
      MakeS3Request(place.settings, place.address, action);
  if (!request.ok()) {
    return std::move(request).status().At({.path = place.path});
  }
  request->name = place.path;
  request->question = {.ask = Ask::kWhole, .first = 0, .size = kMaxAnswer};
  return request;
}

Result<HttpRequest> MakeS3Read(const S3Place& place, std::span<std::byte> out) {
  SHARDINE_ASSIGN_OR_RETURN(HttpRequest request, MakeS3Request(place, {}));
  // An empty object is asked for one byte, which it does not give.
  request.question = {.ask = Ask::kFirst,
                      .first = 0,
                      .size = std::max<std::uint64_t>(out.size(), 1)};
  if (!out.empty()) request.segments = {{0, out}};
  return request;
}

Result<HttpOutcome> LookAtS3(const S3Place& place) {
  std::byte first;
  SHARDINE_ASSIGN_OR_RETURN(HttpRequest request,
                            MakeS3Read(place, std::span(&first, 1)));
  return AskS3(std::move(request), place.path);
}

Result<HttpOutcome> AskS3(const S3Place& place, const S3Action& action) {
  SHARDINE_ASSIGN_OR_RETURN(HttpRequest request, MakeS3Request(place, action));
  return AskS3(std::move(request), place.path);
}

Result<HttpOutcome> AskS3AtEnd(const S3Place& place, const S3Action& action) {
  SHARDINE_ASSIGN_OR_RETURN(HttpRequest request, MakeS3Request(place, action));
  SHARDINE_ASSIGN_OR_RETURN(HttpEngine* const engine, HttpEngine::OfProcess());
  std::stop_source late;
  std::promise<HttpOutcome> ended;
  std::future<HttpOutcome> outcome = ended.get_future();
  engine->Start(std::move(request), late.get_token(), [&](HttpOutcome answer) {
    ended.set_value(std::move(answer));
  });
  if (outcome.wait_for(kAtEnd) != std::future_status::ready) {
    late.request_stop();
  }
  return outcome.get();
}

}  // namespace shardine
