// Who gives credentials for a while, and how they are asked.
#ifndef SHARDINE_REMOTE_CREDENTIAL_SERVICES_H_
#define SHARDINE_REMOTE_CREDENTIAL_SERVICES_H_

#include <memory>
#include <string>
#include <string_view>

#include "remote/credential_source.h"

namespace shardine {

// {"AccessKeyId", "SecretAccessKey", "Token" or "SessionToken", "Expiration"},
// as processes, containers and instances give them. kRemote: it is none; no
// byte of it is quoted.
Result<FetchedCredentials> ParseCredentials(std::string_view json,
                                            const std::string& from);

// The program of credential_process, run by the shell.
Result<FetchedCredentials> CredentialsOfProcess(const std::string& command);
// `url`: of the container's agent.
Result<FetchedCredentials> CredentialsOfContainer(const std::string& url);
Result<FetchedCredentials> CredentialsOfInstance();

struct Role {
  std::string arn;
  std::string session;  // empty: a name of ours
  std::string external_id = {};
  std::string region;  // whose service is asked
};
Result<FetchedCredentials> CredentialsOfWebIdentity(
    const Role& role, const std::string& token_file);
Result<FetchedCredentials> CredentialsOfRole(
    const Role& role, const std::shared_ptr<CredentialSource>& source);

}  // namespace shardine

#endif  // SHARDINE_REMOTE_CREDENTIAL_SERVICES_H_
