// Where a request may go that carries a secret or fetches one.
#ifndef SHARDINE_REMOTE_SECRET_URL_H_
#define SHARDINE_REMOTE_SECRET_URL_H_

#include <string>

#include "remote/url.h"
#include "shardine/status.h"

namespace shardine {

// Whether http:// is allowed beyond this machine and the link-local addresses
// that Amazon documents for metadata and containers, IPv4 and IPv6.
enum class PlainHttp : std::uint8_t {
  kNever,
  kByOption,  // it needs RemoteOptions::http_credentials, which is not set
  kAllowed,   // it is set
};

// kInvalidArgument, naming `variable`: no address, one with a user, password
// or query, or one by http:// to elsewhere; kByOption: the option is named. A
// port that is the scheme's own is left out, as it is sent and signed.
Result<Url> ParseSecretUrl(const std::string& text, const std::string& variable,
                           PlainHttp plain);

// Without a `/` at its end.
std::string BaseOf(const Url& url);

}  // namespace shardine

#endif  // SHARDINE_REMOTE_SECRET_URL_H_
