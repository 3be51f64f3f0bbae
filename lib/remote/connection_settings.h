// How servers are reached: the variables that curl's program and its like take
// from the environment, which curl's library is not left to read by itself.
#ifndef SHARDINE_REMOTE_CONNECTION_SETTINGS_H_
#define SHARDINE_REMOTE_CONNECTION_SETTINGS_H_

#include <string>
#include <string_view>

#include "shardine/environment.h"

namespace shardine {

// Empty: there is none.
struct ConnectionSettings {
  std::string certificates;  // a file of one's own
  std::string http_proxy;
  std::string https_proxy;
  std::string no_proxy;  // hosts that are asked without

  const std::string& ProxyFor(std::string_view url) const {
    return url.starts_with("https:") ? https_proxy : http_proxy;
  }
};

// CURL_CA_BUNDLE, SSL_CERT_FILE, AWS_CA_BUNDLE: there is no switch that turns
// verification off. http_proxy in lower case alone, since a web server's
// programs have HTTP_PROXY of a request; the others in both, and all_proxy.
ConnectionSettings ConnectionSettingsOf(const Environment& environment);

}  // namespace shardine

#endif  // SHARDINE_REMOTE_CONNECTION_SETTINGS_H_
