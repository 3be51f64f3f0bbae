#include "io/path_scheme.h"

#include "base/ascii.h"
#include "io/readable_storage.h"
#include "remote/url.h"

namespace shardine {

std::string SchemeOf(std::string_view path) {
  const std::size_t end = path.find("://");
  if (end == std::string_view::npos) return {};
  std::string scheme(path.substr(0, end));
  for (std::size_t i = 0; i < end; ++i) {
    char& c = scheme[i];
    c = LowerAscii(c);
    const bool letter = c >= 'a' && c <= 'z';
    const bool other =
        (c >= '0' && c <= '9') || c == '+' || c == '-' || c == '.';
    if (!letter && (i == 0 || !other)) return {};
  }
  return scheme;
}

std::string JoinName(const std::string& folder, const std::string& name) {
  const std::string scheme = SchemeOf(folder);
  if (scheme != "http" && scheme != "https") return JoinPath(folder, name);
  std::string escaped;
  for (const char c : name) {
    escaped += c == '%'   ? "%25"
               : c == '?' ? "%3F"
               : c == '#' ? "%23"
                          : std::string(1, c);
  }
  return JoinPath(folder, escaped);
}

Status RefuseScheme(const std::string& path) {
  const std::string scheme = SchemeOf(path);
  const char* why =
      "of remote storage only s3://, gs://, http:// and https:// are read yet";
  if (scheme == "file") why = "paths of local files are given without file://";
  // Where only this machine will do.
  if (scheme == "s3" || scheme == "gs" || scheme.starts_with("http"))
    why = "is on a server, not on this machine";
  return Status(Code::kUnsupported, why).At({.path = PrintableUrl(path)});
}

}  // namespace shardine
