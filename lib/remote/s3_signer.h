// Requests to a service that speaks S3, signed for each try.
#ifndef SHARDINE_REMOTE_S3_SIGNER_H_
#define SHARDINE_REMOTE_S3_SIGNER_H_

#include <cstddef>
#include <map>
#include <memory>
#include <span>
#include <string>

#include "remote/http_request.h"
#include "remote/s3_settings.h"

namespace shardine {

// One action on an object.
struct S3Action {
  std::string method = {};  // empty: GET
  std::string query = {};   // sorted by name, and encoded
  std::map<std::string, std::string> headers = {};  // names in lower case
  // For PUT and POST; the memory must stay until the request has ended. Its
  // SHA-256 is signed, so that the service checks the bytes it gets.
  std::span<const std::byte> body = {};
};

// Waits for credentials where there are none yet. The signer finds out the
// bucket's region and the service's time, and renews credentials that expire
// while it is used.
Result<HttpRequest> MakeS3Request(const S3Settings& settings,
                                  const S3Address& address,
                                  const S3Action& action = {});

}  // namespace shardine

#endif  // SHARDINE_REMOTE_S3_SIGNER_H_
