#include "remote/s3_settings.h"

#include <algorithm>
#include <cctype>
#include <initializer_list>

#include "base/status_macros.h"
#include "remote/aws_profile.h"
#include "remote/credential_chain.h"

namespace shardine {
namespace {

// `given`, or else the first that is set of these variables, then of these
// settings.
std::string FirstOf(const Environment& environment, const std::string& given,
                    std::initializer_list<const char*> variables,
                    const AwsSettings& profile,
                    std::initializer_list<const char*> names) {
  if (!given.empty()) return given;
  for (const char* variable : variables) {
    std::string value = environment.Of(variable);
    if (!value.empty()) return value;
  }
  for (const char* name : names) {
    const auto found = profile.find(name);
    if (found != profile.end() && !found->second.empty()) {
      return std::string(found->second);
    }
  }
  return {};
}

bool IsYes(std::string value) {
  std::ranges::transform(value, value.begin(), [](unsigned char c) {
    return static_cast<char>(std::tolower(c));
  });
  return value == "yes" || value == "true" || value == "1" || value == "on";
}

bool IsBucketInHost(const Environment& environment,
                    const RemoteOptions& options, const AwsSettings& profile,
                    const std::string& url) {
  if (options.path_style != PathStyle::kAuto) {
    return options.path_style == PathStyle::kOff;
  }
  const std::string style =
      FirstOf(environment, {}, {}, profile, {"s3.addressing_style"});
  if (style == "path") return false;
  return style == "virtual" || IsYes(environment.Of("AWS_VIRTUAL_HOSTING")) ||
         url.empty();
}

}  // namespace

Result<S3Settings> FindS3Settings(const Environment& environment,
                                  const RemoteOptions& options) {
  const std::string& name = options.profile;
  SHARDINE_ASSIGN_OR_RETURN(
      const AwsSettings profile,
      ReadAwsProfile(environment,
                     name.empty() ? AwsProfileName(environment) : name));
  S3Settings settings;
  settings.region =
      FirstOf(environment, options.region, {"AWS_REGION", "AWS_DEFAULT_REGION"},
              profile, {"region"});
  if (settings.region.empty()) settings.region = "us-east-1";
  if (!IsS3Region(settings.region)) {
    return Status(Code::kInvalidArgument,
                  "the region that is set is no name of one");
  }
  settings.endpoint.url = FirstOf(environment, options.endpoint_url,
                                  {"AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"},
                                  profile, {"s3.endpoint_url", "endpoint_url"});
  settings.endpoint.bucket_in_host =
      IsBucketInHost(environment, options, profile, settings.endpoint.url);
  settings.requester_pays = options.requester_pays ||
                            environment.Of("AWS_REQUEST_PAYER") == "requester";
  if (!options.no_sign_request &&
      !IsYes(environment.Of("AWS_NO_SIGN_REQUEST"))) {
    const CredentialPlace place{.environment = environment,
                                .region = settings.region,
                                .plain = options.http_credentials
                                             ? PlainHttp::kAllowed
                                             : PlainHttp::kByOption};
    SHARDINE_ASSIGN_OR_RETURN(settings.credentials,
                              FindCredentials(place, profile, name));
  }
  return settings;
}

Result<S3Settings> FindGoogleSettings(const Environment& environment,
                                      const RemoteOptions& options) {
  S3Settings settings;
  settings.region = "auto";
  settings.endpoint = {.url = FirstOf(environment, options.endpoint_url,
                                      {"CPL_GS_ENDPOINT"}, {}, {}),
                       .bucket_in_host = options.path_style == PathStyle::kOff};
  if (settings.endpoint.url.empty()) {
    settings.endpoint.url = "https://storage.googleapis.com";
  }
  if (!options.no_sign_request &&
      !IsYes(environment.Of("GS_NO_SIGN_REQUEST"))) {
    SHARDINE_ASSIGN_OR_RETURN(settings.credentials,
                              FindGoogleCredentials(environment));
  }
  return settings;
}

}  // namespace shardine
