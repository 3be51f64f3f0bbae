// Services that give credentials for a while, and the requests to them.
#ifndef SHARDINE_REMOTE_CREDENTIAL_SERVICES_H_
#define SHARDINE_REMOTE_CREDENTIAL_SERVICES_H_

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "remote/credential_source.h"
#include "remote/secret_url.h"
#include "remote/url.h"
#include "shardine/environment.h"

namespace shardine {

// {"AccessKeyId", "SecretAccessKey", "Token" or "SessionToken", "Expiration"},
// as processes, containers and instances give them. kRemote: it is none; no
// byte of it is quoted.
Result<FetchedCredentials> ParseCredentials(std::string_view json,
                                            const std::string& from);

// The settings of the services that give credentials. A request that carries a
// secret or fetches one follows no redirect, and goes where ParseSecretUrl()
// allows.
struct CredentialPlace {
  Environment environment;
  std::string region;
  PlainHttp plain = PlainHttp::kByOption;  // of STS and SSO
};

// The agent of a container or pod; nullopt: the environment names none.
// kInvalidArgument, here and below: an address that secrets may not go to.
Result<std::optional<Url>> AgentOf(const CredentialPlace& place);
Result<FetchedCredentials> CredentialsOfContainer(const CredentialPlace& place);

// The metadata of an instance.
Result<Url> InstanceServiceOf(const CredentialPlace& place);
Result<FetchedCredentials> CredentialsOfInstance(const CredentialPlace& place);

struct Role {
  std::string arn;
  std::string session;  // empty: a name of ours
  std::string external_id = {};
};
// The service that gives roles (STS). The token of a web identity goes in the
// body of a POST, since addresses are written into logs.
Result<Url> RoleServiceOf(const CredentialPlace& place);
Result<FetchedCredentials> CredentialsOfWebIdentity(
    const CredentialPlace& place, const Role& role,
    const std::string& token_file);
Result<FetchedCredentials> CredentialsOfRole(
    const CredentialPlace& place, const Role& role,
    const std::shared_ptr<CredentialSource>& source);

}  // namespace shardine

#endif  // SHARDINE_REMOTE_CREDENTIAL_SERVICES_H_
