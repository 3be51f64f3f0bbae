#include "remote/sso_session.h"

#include <chrono>
#include <utility>

#include "base/status_macros.h"
#include "base/stop_scope.h"
#include "remote/aws_profile.h"
#include "remote/crypto_library.h"
#include "remote/http_engine.h"
#include "remote/secret_json.h"
#include "remote/service_time.h"
#include "remote/sigv4.h"

namespace shardine {
namespace {

constexpr std::size_t kMaxAnswer = 1 << 20;

Status SignIn(const std::string& why) {
  return Status(Code::kInvalidArgument, "the session of IAM Identity Center " +
                                            why + ": aws sso login begins one");
}

Result<Secret> SessionToken(const CredentialPlace& place, const SsoRole& role) {
  SHARDINE_ASSIGN_OR_RETURN(const CryptoLibrary* const crypto,
                            CryptoLibrary::Load());
  const std::string& name =
      role.session.empty() ? role.start_url : role.session;
  const std::string path = place.environment.Of("HOME") + "/.aws/sso/cache/" +
                           crypto->Sha1Hex(name) + ".json";
  const auto text = ReadSecretFile(path);
  if (text.status().code() == Code::kNotFound) {
    return SignIn("was not begun");
  }
  SHARDINE_RETURN_IF_ERROR(text.status());
  const auto parsed = SecretJson::parse(*text, nullptr, false);
  const Secret token = TextIn(parsed, "accessToken");
  const auto ends = ParseWallTime(std::string(TextIn(parsed, "expiresAt")));
  if (token.empty() || !ends ||
      token.reveal().find_first_of("\r\n") != std::string_view::npos) {
    return Status(Code::kInvalidArgument, "is no token of a session")
        .At({.path = path});
  }
  if (*ends <= std::chrono::system_clock::now()) {
    return SignIn("is over");
  }
  return token;
}

// {"roleCredentials": {"accessKeyId", ..., "expiration": milliseconds}}
Result<FetchedCredentials> OfSessionAnswer(const SecretJson& answer,
                                           const std::string& from) {
  const bool is_one = answer.is_object() && answer.contains("roleCredentials");
  const SecretJson role = is_one ? answer["roleCredentials"] : SecretJson();
  SHARDINE_ASSIGN_OR_RETURN(
      Credentials found, CredentialsIn(role, "accessKeyId", "secretAccessKey",
                                       {"sessionToken"}, from));
  FetchedCredentials fetched{.credentials = std::move(found)};
  const auto ends = role.find("expiration");
  if (ends != role.end() && ends->is_number_integer()) {
    fetched.expires = WallTimeOf(ends->get<std::int64_t>() / 1'000);
  }
  return fetched;
}

}  // namespace

Result<Url> SessionServiceOf(const CredentialPlace& place,
                             const SsoRole& role) {
  const char* const name = "AWS_ENDPOINT_URL_SSO";
  std::string service = place.environment.Of(name);
  if (service.empty()) {
    service = "https://portal.sso." + role.region + ".amazonaws.com";
  }
  return ParseSecretUrl(service, name, place.plain);
}

Result<FetchedCredentials> CredentialsOfSession(const CredentialPlace& place,
                                                const SsoRole& role) {
  SHARDINE_ASSIGN_OR_RETURN(const Secret token, SessionToken(place, role));
  SHARDINE_ASSIGN_OR_RETURN(const Url url, SessionServiceOf(place, role));
  const std::string service = BaseOf(url);
  HttpRequest request;
  request.name = service;
  request.has_secret = true;
  request.url = service + "/federation/credentials?account_id=" +
                EncodeForSigning(role.account, false) +
                "&role_name=" + EncodeForSigning(role.role, false);
  request.question = {.ask = Ask::kWhole, .first = 0, .size = kMaxAnswer};
  request.headers = {"x-amz-sso_bearer_token: " + std::string(token.reveal())};
  SHARDINE_ASSIGN_OR_RETURN(HttpEngine* const engine, HttpEngine::OfProcess());
  HttpOutcome outcome = engine->Get(std::move(request), CurrentStop());
  if (outcome.http_status == 401) {
    return SignIn("is no longer valid");
  }
  SHARDINE_RETURN_IF_ERROR(outcome.status);
  const auto parsed = SecretJson::parse(outcome.body, nullptr, false);
  Wipe(outcome.body);
  return OfSessionAnswer(parsed, service);
}

}  // namespace shardine
