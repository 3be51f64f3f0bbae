// Credentials of IAM Identity Center, after a login by `aws sso login`.
// https://docs.aws.amazon.com/singlesignon/latest/PortalAPIReference/API_GetRoleCredentials.html
#ifndef SHARDINE_REMOTE_SSO_SESSION_H_
#define SHARDINE_REMOTE_SSO_SESSION_H_

#include <string>

#include "remote/credential_services.h"
#include "remote/credential_source.h"
#include "shardine/status.h"

namespace shardine {

// A role of an account.
struct SsoRole {
  std::string session;  // by whose name the token is kept; empty: start_url's
  std::string start_url;
  std::string region;
  std::string account;
  std::string role;
};
// AWS_ENDPOINT_URL_SSO, else Amazon's. kInvalidArgument: an address that
// secrets may not go to.
Result<Url> SessionServiceOf(const CredentialPlace& place, const SsoRole& role);
// Uses the token that the sign-in left in ~/.aws/sso/cache. kInvalidArgument:
// there is no token, or its time is over; the message tells how to sign in. The
// token is not renewed here: that takes the registration of Amazon's program.
Result<FetchedCredentials> CredentialsOfSession(const CredentialPlace& place,
                                                const SsoRole& role);

}  // namespace shardine

#endif  // SHARDINE_REMOTE_SSO_SESSION_H_
