// Requests to a service that speaks S3, signed for each try.
#ifndef SHARDINE_REMOTE_S3_SIGNER_H_
#define SHARDINE_REMOTE_S3_SIGNER_H_

#include <memory>
#include <string>

#include "remote/http_request.h"
#include "remote/s3_settings.h"

namespace shardine {

// The request for that object, or with `query`, which is sorted by name and
// encoded, for what that says of it. Waits for credentials where there are none
// yet. The signer finds out where the bucket lies, what time the service has,
// and renews credentials that expire while it is used.
Result<HttpRequest> MakeS3Request(const S3Settings& settings,
                                  const S3Address& address,
                                  const std::string& query);

}  // namespace shardine

#endif  // SHARDINE_REMOTE_S3_SIGNER_H_
