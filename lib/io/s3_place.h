// One object of a service that speaks S3, and the identity that asks for it.
#ifndef SHARDINE_IO_S3_PLACE_H_
#define SHARDINE_IO_S3_PLACE_H_

#include <cstddef>
#include <span>
#include <string>

#include "remote/http_engine.h"
#include "remote/http_request.h"
#include "remote/s3_address.h"
#include "remote/s3_settings.h"
#include "remote/s3_signer.h"
#include "shardine/environment.h"
#include "shardine/status.h"

namespace shardine {

// The settings of the service that the path's scheme names.
Result<S3Settings> S3SettingsFor(const Environment& environment,
                                 const std::string& path);

struct S3Place {
  S3Settings settings;
  S3Address address;
  std::string path;  // for people
};
// kInvalidArgument: no such address, or one without a key.
Result<S3Place> S3PlaceOf(const Environment& environment,
                          const std::string& path);

// The same with the variables of this thread's scope (shardine/environment.h).
Result<S3Place> S3PlaceOf(const std::string& path);

// Statuses of services that callers treat by themselves.
inline constexpr int kHttpForbidden = 403;
inline constexpr int kHttpNoSuchRange = 416;
inline constexpr int kHttpNotFound = 404;
inline constexpr int kHttpPreconditionFailed = 412;

// A request for the first bytes of the object, as many as `out` has.
Result<HttpRequest> MakeS3Read(const S3Place& place, std::span<std::byte> out);
// The object as it is there now, by its first byte: an answer to HEAD has no
// body that would name the error.
Result<HttpOutcome> LookAtS3(const S3Place& place);

// Asks for the service's answer, 1 MiB at most: of GET, the object.
Result<HttpRequest> MakeS3Request(const S3Place& place, const S3Action& action);
// The same, and waits; with the stop of this thread's work.
Result<HttpOutcome> AskS3(const S3Place& place, const S3Action& action);
// For clean-up: also where the work was stopped, and for a second at most.
Result<HttpOutcome> AskS3AtEnd(const S3Place& place, const S3Action& action);

}  // namespace shardine

#endif  // SHARDINE_IO_S3_PLACE_H_
