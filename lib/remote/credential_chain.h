// Which credentials are the user's: the places that Amazon's own tools look at,
// in their order.
#ifndef SHARDINE_REMOTE_CREDENTIAL_CHAIN_H_
#define SHARDINE_REMOTE_CREDENTIAL_CHAIN_H_

#include <memory>

#include "remote/aws_profile.h"
#include "remote/credential_services.h"
#include "remote/credential_source.h"

namespace shardine {

// The first source present of: AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY
// (AWS_SESSION_TOKEN); AWS_WEB_IDENTITY_TOKEN_FILE and AWS_ROLE_ARN; `profile`:
// role_arn with source_profile or web_identity_token_file, sso_start_url, keys,
// credential_process; AWS_CONTAINER_CREDENTIALS_RELATIVE_URI or _FULL_URI; the
// metadata of an EC2 instance (IMDSv2; AWS_EC2_METADATA_DISABLED). No server is
// asked before the source's Get(), whose failure says which places were looked
// at. `asked_for`: the profile's name, where it is an option; then keys and
// roles of the environment are passed over, as Amazon's program does. Empty:
// AWS_PROFILE, else "default". kInvalidArgument: half of a pair, or a profile
// so named that is in neither file.
Result<std::shared_ptr<CredentialSource>> FindCredentials(
    const CredentialPlace& place, const AwsSettings& profile,
    const std::string& asked_for);

// Google's storage takes GS_ACCESS_KEY_ID and GS_SECRET_ACCESS_KEY, which are
// an account's HMAC keys. kInvalidArgument: half of them, or none.
Result<std::shared_ptr<CredentialSource>> FindGoogleCredentials(
    const Environment& environment);

}  // namespace shardine

#endif  // SHARDINE_REMOTE_CREDENTIAL_CHAIN_H_
