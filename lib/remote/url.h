// Addresses of objects on servers: "https://host:8443/data/train/a.tar".
#ifndef SHARDINE_REMOTE_URL_H_
#define SHARDINE_REMOTE_URL_H_

#include <string>
#include <string_view>

#include "shardine/status.h"

namespace shardine {

// Between a scheme and the rest of an address.
inline constexpr std::string_view kSchemeEnd = "://";

struct Url {
  std::string scheme;     // in lower case: "http" or "https"
  std::string authority;  // host in lower case, and ":port" if there is one
  std::string path;       // begins with `/`; ready to be sent

  std::string text() const { return scheme + "://" + authority + path; }
};

// The object of that address. Characters that a path may not hold are written
// as %XX; existing %XX stays, so that an address may be copied from a browser.
// "." and ".." are resolved as text: where they lead above the host, and for a
// user, password, query or fragment, which would be written into logs and could
// not be put before the name of a file: kInvalidArgument with PrintableUrl().
Result<Url> ParseUrl(const std::string& text);

// For people: without user, password, query and fragment.
std::string PrintableUrl(std::string_view text);

}  // namespace shardine

#endif  // SHARDINE_REMOTE_URL_H_
