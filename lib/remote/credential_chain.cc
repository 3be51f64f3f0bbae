#include "remote/credential_chain.h"

#include <utility>

#include "base/status_macros.h"
#include "remote/aws_profile.h"
#include "remote/credential_process.h"
#include "remote/credential_services.h"
#include "remote/s3_address.h"
#include "remote/sso_session.h"
#include "remote/url.h"
#include "shardine/escape.h"

namespace shardine {
namespace {

using Source = std::shared_ptr<CredentialSource>;

// A limit for roles that are taken by means of others.
constexpr unsigned kMaxProfiles = 5;

// Empty where it is not set.
std::string_view SecretOf(const AwsSettings& settings, const char* name) {
  const auto found = settings.find(name);
  return found == settings.end() ? std::string_view() : found->second;
}
// A copy that is not wiped: for values that are no secret.
std::string Of(const AwsSettings& settings, const char* name) {
  return std::string(SecretOf(settings, name));
}

Status Half(const std::string& there, const std::string& missing) {
  return Status(Code::kInvalidArgument,
                there + " is set and " + missing + " is not");
}

Result<Source> OfPair(const std::string& key_name, const std::string& key_id,
                      const std::string& secret_name, std::string_view secret,
                      std::string_view token) {
  if (key_id.empty() && secret.empty()) return Source();
  if (secret.empty()) return Half(key_name, secret_name);
  if (key_id.empty()) return Half(secret_name, key_name);
  const Credentials given{.key_id = key_id, .secret = secret, .token = token};
  SHARDINE_RETURN_IF_ERROR(CheckCredentials(given));
  return CredentialSource::Of(given);
}

// One for all that are made in the same place.
Source Shared(const CredentialPlace& place, const std::string& name,
              CredentialSource::Fetch fetch) {
  const std::string plain = place.plain == PlainHttp::kAllowed ? " plain" : "";
  return CredentialSource::Named(
      IdentityOf(place.environment) + plain + " " + name, std::move(fetch));
}

// A wrong address of STS is reported before any server is asked.
Result<Source> OfWebIdentity(const CredentialPlace& place, Role role,
                             const std::string& token_file) {
  SHARDINE_RETURN_IF_ERROR(RoleServiceOf(place).status());
  const std::string name = "web identity " + role.arn + " " + token_file;
  return Shared(place, name, [place, role = std::move(role), token_file] {
    return CredentialsOfWebIdentity(place, role, token_file);
  });
}

Result<Source> OfProfile(const CredentialPlace& place,
                         const AwsSettings& profile, unsigned depth);

Result<Source> OfRole(const CredentialPlace& place, const AwsSettings& profile,
                      Role role, unsigned depth) {
  const std::string file = Of(profile, "web_identity_token_file");
  if (!file.empty()) return OfWebIdentity(place, std::move(role), file);
  const std::string name = Of(profile, "source_profile");
  if (name.empty() || depth == kMaxProfiles) {
    return Status(Code::kUnsupported,
                  "a profile with role_arn is to have source_profile or "
                  "web_identity_token_file; any other is read through a "
                  "profile whose credential_process is aws configure "
                  "export-credentials");
  }
  SHARDINE_RETURN_IF_ERROR(RoleServiceOf(place).status());
  SHARDINE_ASSIGN_OR_RETURN(AwsSettings below,
                            ReadAwsProfile(place.environment, name));
  // A profile may be its own source, with its keys.
  if (Of(below, "role_arn") == role.arn) below.erase("role_arn");
  SHARDINE_ASSIGN_OR_RETURN(Source source, OfProfile(place, below, depth + 1));
  if (source == nullptr) {
    return Status(Code::kInvalidArgument,
                  "the source_profile has no credentials that are read here");
  }
  const std::string taken = "role " + role.arn + " by " + name;
  return Shared(place, taken,
                [place, role = std::move(role), source = std::move(source)] {
                  return CredentialsOfRole(place, role, source);
                });
}

// A session of IAM Identity Center that the user has signed in to; null: the
// profile has none.
Result<Source> OfSession(const CredentialPlace& place,
                         const AwsSettings& profile) {
  const SsoRole role{.session = Of(profile, "sso_session"),
                     .start_url = Of(profile, "sso_start_url"),
                     .region = Of(profile, "sso_region"),
                     .account = Of(profile, "sso_account_id"),
                     .role = Of(profile, "sso_role_name")};
  if (role.start_url.empty() || role.account.empty()) return Source();
  if (role.region.empty() || !IsS3Region(role.region) || role.role.empty()) {
    return Status(Code::kInvalidArgument,
                  "a profile with sso_start_url is to have sso_region and "
                  "sso_role_name");
  }
  SHARDINE_RETURN_IF_ERROR(SessionServiceOf(place, role).status());
  const std::string name = "session " + role.start_url + " " + role.session +
                           " " + role.account + " " + role.role;
  return Shared(place, name,
                [place, role] { return CredentialsOfSession(place, role); });
}

Result<Source> OfProfile(const CredentialPlace& place,
                         const AwsSettings& profile, unsigned depth) {
  if (const std::string arn = Of(profile, "role_arn"); !arn.empty()) {
    return OfRole(place, profile,
                  {.arn = arn,
                   .session = Of(profile, "role_session_name"),
                   .external_id = Of(profile, "external_id")},
                  depth);
  }
  SHARDINE_ASSIGN_OR_RETURN(Source session, OfSession(place, profile));
  if (session != nullptr) return session;
  SHARDINE_ASSIGN_OR_RETURN(
      Source keys, OfPair("aws_access_key_id", Of(profile, "aws_access_key_id"),
                          "aws_secret_access_key",
                          SecretOf(profile, "aws_secret_access_key"),
                          SecretOf(profile, "aws_session_token")));
  if (keys != nullptr) return keys;
  const std::string command = Of(profile, "credential_process");
  if (command.empty()) return Source();
  return Shared(place, "process " + command, [place, command] {
    return CredentialsOfProcess(place.environment, command);
  });
}

// The text about a profile in which no credentials were found.
std::string WordsOf(const std::string& name, const AwsSettings& profile) {
  if (profile.empty()) return "the profile " + name;
  return "the profile " + name + " (its section has no " +
         (Of(profile, "aws_access_key_id").empty() ? "aws_access_key_id"
                                                   : "aws_secret_access_key") +
         ")";
}

// `looked`: in which profile, in words.
Result<Source> OfMachine(const CredentialPlace& place,
                         const std::string& looked) {
  SHARDINE_ASSIGN_OR_RETURN(const std::optional<Url> agent, AgentOf(place));
  if (agent) {
    return Shared(place, "container " + agent->text(),
                  [place] { return CredentialsOfContainer(place); });
  }
  const Status none(
      Code::kInvalidArgument,
      "there are no credentials for S3: looked at AWS_ACCESS_KEY_ID, "
      "AWS_WEB_IDENTITY_TOKEN_FILE, " +
          looked +
          ", the container's and the machine's metadata; public buckets are "
          "read with AWS_NO_SIGN_REQUEST=YES");
  if (place.environment.Of("AWS_EC2_METADATA_DISABLED") == "true") return none;
  SHARDINE_RETURN_IF_ERROR(InstanceServiceOf(place).status());
  return Shared(
      place, "instance", [place, none]() -> Result<FetchedCredentials> {
        auto fetched = CredentialsOfInstance(place);
        if (fetched.ok()) return fetched;
        const Code code = fetched.status().code();
        return code == Code::kCancelled ? std::move(fetched).status() : none;
      });
}

// Credentials from the environment itself; null: it has no such variables.
Result<Source> OfEnvironment(const CredentialPlace& place) {
  const Environment& environment = place.environment;
  SHARDINE_ASSIGN_OR_RETURN(
      Source found,
      OfPair("AWS_ACCESS_KEY_ID", environment.Of("AWS_ACCESS_KEY_ID"),
             "AWS_SECRET_ACCESS_KEY", environment.Of("AWS_SECRET_ACCESS_KEY"),
             environment.Of("AWS_SESSION_TOKEN")));
  if (found != nullptr) return found;
  const std::string file = environment.Of("AWS_WEB_IDENTITY_TOKEN_FILE");
  const std::string arn = environment.Of("AWS_ROLE_ARN");
  if (!file.empty() && !arn.empty()) {
    return OfWebIdentity(
        place, {.arn = arn, .session = environment.Of("AWS_ROLE_SESSION_NAME")},
        file);
  }
  return Source();
}

}  // namespace

Result<Source> FindCredentials(const CredentialPlace& place,
                               const AwsSettings& profile,
                               const std::string& asked_for) {
  Source found;
  if (asked_for.empty()) {
    SHARDINE_ASSIGN_OR_RETURN(found, OfEnvironment(place));
    if (found != nullptr) return found;
  }
  const std::string name =
      asked_for.empty() ? AwsProfileName(place.environment) : asked_for;
  const bool is_named =
      !asked_for.empty() || !place.environment.Of("AWS_PROFILE").empty();
  if (profile.empty() && is_named) {
    return Status(Code::kInvalidArgument,
                  "the profile " + EscapeBytes(name) +
                      (asked_for.empty() ? " of AWS_PROFILE" : "") +
                      " is in no file of Amazon's tools");
  }
  SHARDINE_ASSIGN_OR_RETURN(found, OfProfile(place, profile, 1));
  if (found != nullptr) return found;
  return OfMachine(place, WordsOf(name, profile));
}

Result<Source> FindGoogleCredentials(const Environment& environment) {
  SHARDINE_ASSIGN_OR_RETURN(
      Source found,
      OfPair("GS_ACCESS_KEY_ID", environment.Of("GS_ACCESS_KEY_ID"),
             "GS_SECRET_ACCESS_KEY", environment.Of("GS_SECRET_ACCESS_KEY"),
             {}));
  if (found != nullptr) return found;
  return Status(Code::kInvalidArgument,
                "there are no credentials for gs://: HMAC keys of an account "
                "are given by GS_ACCESS_KEY_ID and GS_SECRET_ACCESS_KEY; "
                "GS_NO_SIGN_REQUEST=YES reads public buckets without");
}

}  // namespace shardine
