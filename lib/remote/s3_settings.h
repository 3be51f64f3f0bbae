// Which service "s3://" means, and as whom it is asked.
#ifndef SHARDINE_REMOTE_S3_SETTINGS_H_
#define SHARDINE_REMOTE_S3_SETTINGS_H_

#include <memory>
#include <string>

#include "remote/credential_source.h"
#include "remote/s3_address.h"

namespace shardine {

struct S3Settings {
  S3Endpoint endpoint;
  std::string region;
  bool requester_pays = false;
  std::shared_ptr<CredentialSource> credentials;  // null: nothing is signed
};

// By the variables and files of Amazon's tools, read anew each time:
// AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL, endpoint_url; AWS_REGION,
// AWS_DEFAULT_REGION, region, else us-east-1; credentials as
// FindCredentials(). By those of GDAL where Amazon's have none:
// AWS_NO_SIGN_REQUEST=YES, AWS_REQUEST_PAYER=requester, and
// AWS_VIRTUAL_HOSTING=TRUE for an endpoint that has buckets in its host's name.
Result<S3Settings> FindS3Settings();

}  // namespace shardine

#endif  // SHARDINE_REMOTE_S3_SETTINGS_H_
