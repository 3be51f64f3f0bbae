#include "io/s3_place.h"

#include <utility>

#include "base/status_macros.h"
#include "io/path_scheme.h"
#include "io/s3_listing.h"

namespace shardine {
namespace {

constexpr std::uint64_t kMaxAnswer = 1 << 20;

}  // namespace

Result<S3Settings> S3SettingsFor(const std::string& path) {
  Result<S3Settings> settings =
      SchemeOf(path) == "gs" ? FindGoogleSettings() : FindS3Settings();
  if (settings.ok()) return settings;
  return std::move(settings).status().At({.path = path});
}

Result<S3Place> S3PlaceOf(const std::string& path) {
  SHARDINE_ASSIGN_OR_RETURN(S3Address address, ParseS3Address(path));
  if (address.key.empty() || address.key.ends_with('/')) {
    return Status(Code::kInvalidArgument, "is no name of an object")
        .At({.path = path});
  }
  SHARDINE_ASSIGN_OR_RETURN(S3Settings settings, S3SettingsFor(path));
  return S3Place{.settings = std::move(settings),
                 .address = std::move(address),
                 .path = path};
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

Result<HttpOutcome> AskS3(const S3Place& place, const S3Action& action) {
  SHARDINE_ASSIGN_OR_RETURN(HttpRequest request, MakeS3Request(place, action));
  return AskS3(std::move(request), place.path);
}

}  // namespace shardine
