#include "shardine/address.h"

#include "io/path_scheme.h"
#include "remote/s3_address.h"
#include "remote/url.h"

namespace shardine {

Status CheckAddress(const std::string& path) {
  const std::string scheme = SchemeOf(path);
  if (scheme == "http" || scheme == "https") return ParseUrl(path).status();
  if (scheme == "s3" || scheme == "gs") return ParseS3Address(path).status();
  return Status();
}

}  // namespace shardine
