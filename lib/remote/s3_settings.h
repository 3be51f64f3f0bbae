// The services of "s3://" and "gs://", and the identity they are asked with.
#ifndef SHARDINE_REMOTE_S3_SETTINGS_H_
#define SHARDINE_REMOTE_S3_SETTINGS_H_

#include <memory>
#include <string>

#include "remote/credential_source.h"
#include "remote/s3_address.h"
#include "shardine/environment.h"
#include "shardine/remote_options.h"

namespace shardine {

struct S3Settings {
  S3Endpoint endpoint;
  std::string region;
  bool requester_pays = false;
  std::shared_ptr<CredentialSource> credentials;  // null: nothing is signed
};

// By `options`, then by the variables and files of Amazon's tools, of which the
// files are read again each time: AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL,
// endpoint_url; AWS_REGION, AWS_DEFAULT_REGION, region, else us-east-1;
// credentials as FindCredentials(). By those of GDAL where Amazon's have none:
// AWS_NO_SIGN_REQUEST=YES, AWS_REQUEST_PAYER=requester, and
// AWS_VIRTUAL_HOSTING=TRUE for an endpoint that has buckets in its host's name.
Result<S3Settings> FindS3Settings(const Environment& environment,
                                  const RemoteOptions& options);

// The settings of "gs://", Google's storage, which speaks S3 as well, to users
// with HMAC keys. By `options` but for region and profile, then by the
// variables of GDAL: GS_ACCESS_KEY_ID and GS_SECRET_ACCESS_KEY, or
// GS_NO_SIGN_REQUEST=YES; CPL_GS_ENDPOINT.
Result<S3Settings> FindGoogleSettings(const Environment& environment,
                                      const RemoteOptions& options);

}  // namespace shardine

#endif  // SHARDINE_REMOTE_S3_SETTINGS_H_
