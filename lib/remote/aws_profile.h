// The files in which Amazon's tools keep the settings of their users.
#ifndef SHARDINE_REMOTE_AWS_PROFILE_H_
#define SHARDINE_REMOTE_AWS_PROFILE_H_

#include <map>
#include <string>
#include <string_view>

#include "remote/secret.h"
#include "shardine/environment.h"
#include "shardine/status.h"

namespace shardine {

// Settings by name; those indented below another have both names:
// "s3.endpoint_url".
using AwsSettings = std::map<std::string, SecretText>;
// Settings by section, as it stands in the file: "default", "profile work".
using AwsSections = std::map<std::string, AwsSettings>;

// Lines of other forms say nothing.
AwsSections ParseAwsFile(std::string_view text);

// The settings of that profile in ~/.aws/credentials and ~/.aws/config, or the
// files that AWS_SHARED_CREDENTIALS_FILE and AWS_CONFIG_FILE name; the first
// counts; with the settings of its `services` and its `sso_session`. Empty
// where neither has it. As ReadSecretFile(), but for one that is absent.
Result<AwsSettings> ReadAwsProfile(const Environment& environment,
                                   const std::string& name);
// AWS_PROFILE, else "default".
std::string AwsProfileName(const Environment& environment);

// The whole file: keys are in it. kUnsupported: it has more than 1 MiB.
Result<SecretText> ReadSecretFile(const std::string& path);

// The SHA-256 of the variables that name the service and the identity of its
// user.
std::string IdentityOf(const Environment& environment);

}  // namespace shardine

#endif  // SHARDINE_REMOTE_AWS_PROFILE_H_
