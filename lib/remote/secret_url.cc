#include "remote/secret_url.h"

#include <algorithm>

#include "base/status_macros.h"
#include "remote/host_kind.h"

namespace shardine {
namespace {

constexpr std::string_view kDocumented[] = {
    "169.254.169.254", "[fd00:ec2::254]",  // metadata of an instance
    "169.254.170.2",                       // the agent of a container
    "169.254.170.23", "[fd00:ec2::23]"};   // the agent of a pod

bool IsBeside(const Url& url) {
  const std::string host = HostOf(url.authority);
  return KindOfHost(host) == HostKind::kLoopback ||
         std::ranges::find(kDocumented, host) != std::end(kDocumented);
}

}  // namespace

Result<Url> ParseSecretUrl(const std::string& text, const std::string& variable,
                           PlainHttp plain) {
  Result<Url> url = ParseUrl(text);
  if (!url.ok()) {
    return Status(Code::kInvalidArgument,
                  variable + ": " + url.status().message())
        .At(url.status().where());
  }
  const std::string_view own_port = url->scheme == "https" ? ":443" : ":80";
  if (url->authority.ends_with(own_port)) {
    url->authority = HostOf(url->authority);
  }
  if (url->scheme == "https") return url;
  if (url->scheme == "http" &&
      (plain == PlainHttp::kAllowed || IsBeside(*url))) {
    return url;
  }
  std::string why = variable +
                    " is to be of https or of this machine: secrets "
                    "do not go in the clear";
  if (plain == PlainHttp::kByOption) {
    why += "; the option http-credentials (http_credentials) allows http://";
  }
  return Status(Code::kInvalidArgument, why).At({.path = url->text()});
}

std::string BaseOf(const Url& url) {
  std::string text = url.text();
  while (text.ends_with('/')) text.pop_back();
  return text;
}

}  // namespace shardine
