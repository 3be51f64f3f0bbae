#include "remote/s3_address.h"

#include <string_view>
#include <vector>

#include "base/status_macros.h"
#include "remote/sigv4.h"
#include "remote/url.h"

namespace shardine {
namespace {

// A key and its secret may stand where a user and a password do elsewhere.
Status Refuse(const std::string& path, const char* why) {
  return Status(Code::kInvalidArgument, why).At({.path = PrintableUrl(path)});
}

bool IsHostName(const std::string& bucket) {
  return bucket.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") ==
         bucket.npos;
}

bool IsBucket(const std::string& bucket) {
  constexpr const char* kLetters =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._";
  return bucket.size() >= 2 && bucket.size() <= 255 && bucket[0] != '.' &&
         bucket.find_first_not_of(kLetters) == bucket.npos;
}

}  // namespace

bool IsS3Region(const std::string& region) {
  return !region.empty() && region.size() <= 64 &&
         region.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") ==
             region.npos;
}

Result<S3Address> ParseS3Address(const std::string& path) {
  const std::size_t mark = path.find(kSchemeEnd);
  const std::string rest =
      mark == path.npos ? "" : path.substr(mark + kSchemeEnd.size());
  const std::size_t slash = std::min(rest.find('/'), rest.size());
  S3Address address{.bucket = rest.substr(0, slash), .key = {}};
  if (!IsBucket(address.bucket)) {
    return Refuse(path,
                  "is to be s3://BUCKET/KEY, and has no name of a bucket");
  }
  std::vector<std::string> names;
  bool is_folder = false;
  for (std::size_t begin = slash + 1; begin < rest.size();) {
    const std::size_t end = std::min(rest.find('/', begin), rest.size());
    std::string name = rest.substr(begin, end - begin);
    begin = end + 1;
    is_folder = end < rest.size() || name == "." || name == "..";
    if (name == ".." && names.empty()) {
      return Refuse(path, "the address leads above its bucket");
    }
    if (name == "..") {
      names.pop_back();
    } else if (name != ".") {
      names.push_back(std::move(name));
    }
  }
  for (const std::string& name : names) {
    address.key += (&name == names.data() ? "" : "/") + name;
  }
  if (is_folder && !names.empty()) address.key += '/';
  return address;
}

Result<S3Url> S3UrlOf(const S3Endpoint& endpoint, const std::string& region,
                      const S3Address& address) {
  const bool in_host = endpoint.bucket_in_host && IsHostName(address.bucket);
  const std::string text = endpoint.url.empty()
                               ? "https://s3." + region + ".amazonaws.com"
                               : endpoint.url;
  SHARDINE_ASSIGN_OR_RETURN(const Url url, ParseUrl(text));
  S3Url made{.scheme = url.scheme, .host = url.authority, .path = url.path};
  // Hosts are signed without it, since that is how they are sent.
  const std::string_view own_port = url.scheme == "https" ? ":443" : ":80";
  if (made.host.ends_with(own_port)) {
    made.host.resize(made.host.size() - own_port.size());
  }
  if (!made.path.ends_with('/')) made.path += '/';
  if (in_host) {
    made.host = address.bucket + "." + made.host;
  } else {
    made.path += address.bucket;
    if (!address.key.empty()) made.path += '/';
  }
  made.path += EncodeForSigning(address.key, /*keep_slash=*/true);
  return made;
}

}  // namespace shardine
