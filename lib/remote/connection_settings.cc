#include "remote/connection_settings.h"

#include <initializer_list>

namespace shardine {
namespace {

std::string FirstOf(const Environment& environment,
                    std::initializer_list<const char*> names) {
  for (const char* name : names) {
    std::string value = environment.Of(name);
    if (!value.empty()) return value;
  }
  return {};
}

}  // namespace

ConnectionSettings ConnectionSettingsOf(const Environment& environment) {
  const auto first = [&](std::initializer_list<const char*> names) {
    return FirstOf(environment, names);
  };
  return {.certificates =
              first({"CURL_CA_BUNDLE", "SSL_CERT_FILE", "AWS_CA_BUNDLE"}),
          .http_proxy = first({"http_proxy", "all_proxy", "ALL_PROXY"}),
          .https_proxy =
              first({"https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"}),
          .no_proxy = first({"no_proxy", "NO_PROXY"})};
}

}  // namespace shardine
