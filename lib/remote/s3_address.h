// "s3://bucket/key": an object of a service that speaks S3, and the address
// under which it is asked for.
#ifndef SHARDINE_REMOTE_S3_ADDRESS_H_
#define SHARDINE_REMOTE_S3_ADDRESS_H_

#include <string>

#include "shardine/status.h"

namespace shardine {

struct S3Address {
  std::string bucket;
  std::string key;  // bytes as they are: %XX stands for nothing; may be empty
};

// "." and ".." are resolved as text, and the text between two `/` may be empty.
// kInvalidArgument with PrintableUrl(): no bucket, or no name of one; a way
// above it.
Result<S3Address> ParseS3Address(const std::string& path);

// Whether it can be a region's name: of the host's name it becomes a part.
bool IsS3Region(const std::string& region);

// Which service it is, as far as addresses tell.
struct S3Endpoint {
  // "http://127.0.0.1:8333", perhaps with a path; empty: Amazon's.
  std::string url;
  // The bucket is in the host's name rather than in the path.
  bool bucket_in_host = true;
};

// An address in parts, as it is sent and signed: https://host/path?query.
struct S3Url {
  std::string scheme;
  std::string host;  // with its port, where that is not the scheme's own
  std::string path;
  std::string query = {};

  std::string text() const {
    return scheme + "://" + host + path + (query.empty() ? "" : "?" + query);
  }
};
// A bucket with a dot, or in capitals, is in the path whatever `endpoint` says:
// no certificate is valid for the name of its host.
Result<S3Url> S3UrlOf(const S3Endpoint& endpoint, const std::string& region,
                      const S3Address& address);

}  // namespace shardine

#endif  // SHARDINE_REMOTE_S3_ADDRESS_H_
