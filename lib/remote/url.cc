#include "remote/url.h"

#include <cstddef>
#include <vector>

#include "base/ascii.h"
#include "remote/percent_code.h"

namespace shardine {
namespace {

bool IsPlain(char c) {
  return (c >= '0' && c <= '9') ||
         (LowerAscii(c) >= 'a' && LowerAscii(c) <= 'z') ||
         std::string_view("-._~!$&'()*+,;=:@").find(c) !=
             std::string_view::npos;
}

std::string Encoded(std::string_view name) {
  std::string encoded;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    const bool is_escape = c == '%' && i + 2 < name.size() &&
                           HexValue(name[i + 1]) >= 0 &&
                           HexValue(name[i + 2]) >= 0;
    if (IsPlain(c) || is_escape) {
      encoded += c;
      continue;
    }
    AppendPercentCode(c, encoded);
  }
  return encoded;
}

// Servers and proxies read "%2e" as a dot, too.
std::string Dots(std::string_view name) {
  std::string dots;
  for (std::size_t i = 0; i < name.size();) {
    const bool escaped = LowerAscii(name.substr(i, 3)) == "%2e";
    if (!escaped && name[i] != '.') return {};
    dots += '.';
    i += escaped ? 3 : 1;
  }
  return dots;
}

// "host", "host:port", "[::1]:port"; in lower case.
bool IsAuthority(std::string_view authority) {
  const std::size_t bracket = authority.rfind(']');
  const std::size_t colon = authority.rfind(':');
  std::string_view host = authority;
  const bool has_port =
      colon != host.npos && (bracket == host.npos || bracket < colon);
  if (has_port) {
    const std::string_view port = authority.substr(colon + 1);
    host = authority.substr(0, colon);
    if (port.empty() || port.size() > 5 ||
        port.find_first_not_of("0123456789") != port.npos) {
      return false;
    }
  }
  const bool is_address = host.starts_with('[') && host.ends_with(']');
  if (is_address) host = host.substr(1, host.size() - 2);
  const char* const letters = is_address
                                  ? "0123456789abcdef:."
                                  : "0123456789abcdefghijklmnopqrstuvwxyz-._";
  return !host.empty() && host.find_first_not_of(letters) == host.npos;
}

Status Refuse(std::string_view text, const std::string& why) {
  return Status(Code::kInvalidArgument, why).At({.path = PrintableUrl(text)});
}

Result<std::string> CleanPath(std::string_view text, std::string_view path) {
  std::vector<std::string> names;
  bool is_folder = true;
  for (std::size_t begin = 0; begin < path.size();) {
    const std::size_t slash = path.find('/', begin);
    const bool is_last = slash == std::string_view::npos;
    const std::string_view name = path.substr(begin, slash - begin);
    begin = is_last ? path.size() : slash + 1;
    const std::string dots = Dots(name);
    is_folder = !is_last || dots == "." || dots == "..";
    if (dots == ".." && names.empty()) {
      return Refuse(text, "the address leads above its host");
    }
    if (dots == "..") {
      names.pop_back();
    } else if (!name.empty() && dots != ".") {
      names.push_back(Encoded(name));
    }
  }
  std::string clean;
  for (const std::string& name : names) clean += "/" + name;
  if (clean.empty() || is_folder) clean += '/';
  return clean;
}

}  // namespace

Result<Url> ParseUrl(const std::string& text) {
  const std::size_t mark = text.find(kSchemeEnd);
  if (mark == std::string::npos) return Refuse(text, "is no address");
  const std::size_t begin = mark + kSchemeEnd.size();
  const std::size_t end = text.find_first_of("/?#", begin);
  Url url{.scheme = LowerAscii(text.substr(0, mark)),
          .authority = LowerAscii(text.substr(begin, end - begin)),
          .path = {}};
  if (url.authority.find('@') != std::string::npos) {
    return Refuse(text, "an address has no user name and no password");
  }
  if (text.find_first_of("?#", begin) != std::string::npos) {
    return Refuse(text,
                  "an address ends with its path: no ? and no # (in the "
                  "name of a file: %3F and %23)");
  }
  if (!IsAuthority(url.authority)) {
    return Refuse(text, "the address has no host, or none that can be read");
  }
  const std::string path =
      end == std::string::npos ? std::string() : text.substr(end);
  Result<std::string> clean = CleanPath(text, path);
  if (!clean.ok()) return std::move(clean).status();
  url.path = *std::move(clean);
  return url;
}

std::string PrintableUrl(std::string_view text) {
  std::string_view scheme;
  const std::size_t mark = text.find(kSchemeEnd);
  if (mark != std::string_view::npos) {
    scheme = text.substr(0, mark + kSchemeEnd.size());
    text.remove_prefix(scheme.size());
  }
  text = text.substr(0, text.find_first_of("?#"));
  // A password may hold a slash that should have been escaped: all text before
  // the last @ is left out, and rather too much than too little.
  const std::size_t at = text.rfind('@');
  if (at != std::string_view::npos) text.remove_prefix(at + 1);
  return std::string(scheme) + std::string(text);
}

}  // namespace shardine
