#include "remote/credential_services.h"

#include <ctime>
#include <span>
#include <utility>
#include <vector>

#include "base/status_macros.h"
#include "base/stop_scope.h"
#include "remote/aws_profile.h"
#include "remote/http_engine.h"
#include "remote/secret_json.h"
#include "remote/service_time.h"
#include "remote/xml_answer.h"
#include "shardine/escape.h"

namespace shardine {
namespace {

constexpr std::size_t kMaxAnswer = 1 << 20;
constexpr const char* kInstance = "http://169.254.169.254";
constexpr const char* kContainer = "http://169.254.170.2";
constexpr const char* kRelative = "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI";
constexpr const char* kFull = "AWS_CONTAINER_CREDENTIALS_FULL_URI";

// The service is on this machine or beside it: without a prompt answer it
// counts as absent.
Result<std::string> AskBeside(HttpRequest request) {
  request.past_proxies = true;
  request.has_secret = true;
  request.question = {.ask = Ask::kWhole, .first = 0, .size = kMaxAnswer};
  SHARDINE_ASSIGN_OR_RETURN(
      const auto engine, HttpEngine::Make({.patience = Milliseconds(2'500),
                                           .first_contact = Milliseconds(2'500),
                                           .connect = Milliseconds(1'000),
                                           .stall = Milliseconds(1'200)}));
  HttpOutcome outcome = engine->Get(std::move(request), CurrentStop());
  SHARDINE_RETURN_IF_ERROR(outcome.status);
  return std::move(outcome.body);
}

// Parses an answer with secrets, and wipes it afterwards.
Result<FetchedCredentials> ParseOnce(std::string answer,
                                     const std::string& from) {
  auto parsed = ParseCredentials(answer, from);
  Wipe(answer);
  return parsed;
}

Result<std::string> ReadToken(const std::string& path) {
  SHARDINE_ASSIGN_OR_RETURN(const SecretText text, ReadSecretFile(path));
  return std::string(text.substr(0, text.find_last_not_of(" \t\r\n") + 1));
}

// The answer of the service that gives roles (STS), whatever was asked of it.
Result<FetchedCredentials> ParseRole(std::string_view xml,
                                     const std::string& from) {
  FetchedCredentials fetched;
  std::string expires;
  SHARDINE_RETURN_IF_ERROR(
      ReadXmlAnswer(xml, [&](const XmlPath& path, const std::string& text) {
        if (path.size() < 2 || path[path.size() - 2] != "Credentials") return;
        if (path.back() == "AccessKeyId") fetched.credentials.key_id = text;
        if (path.back() == "SecretAccessKey") fetched.credentials.secret = text;
        if (path.back() == "SessionToken") fetched.credentials.token = text;
        if (path.back() == "Expiration") expires = text;
      }));
  fetched.expires = ParseWallTime(expires);
  if (fetched.credentials.key_id.empty() ||
      fetched.credentials.secret.empty()) {
    return Status(Code::kRemote, "an answer without credentials")
        .At({.path = from});
  }
  return fetched;
}

// Asks STS, signed if there is a source.
class RoleRequest : public RequestSigner {
 public:
  RoleRequest(const CryptoLibrary& crypto, const Url& service,
              std::string query, std::string region,
              std::optional<Credentials> credentials)
      : crypto_(crypto),
        service_(service),
        query_(std::move(query)),
        region_(std::move(region)),
        credentials_(std::move(credentials)) {
    if (!service_.path.ends_with('/')) service_.path += '/';
  }

  Signed Sign() override {
    Signed made{.url = service_.text(), .headers = {}};
    if (!query_.empty()) made.url += "?" + query_;
    if (!credentials_) return made;
    made.headers = SignV4(
        crypto_, *credentials_, {.region = region_, .service = "sts"},
        {.host = service_.authority, .path = service_.path, .query = query_},
        std::time(nullptr));
    return made;
  }
  Meaning Explain(const HttpAnswer& answer, std::string_view body) override {
    Meaning meaning{.words = answer.words(), .request_id = {}, .again = false};
    (void)ReadXmlAnswer(body, [&](const XmlPath& path,
                                  const std::string& text) {
      if (path.back() != "Code") return;
      meaning.words = answer.words() + " " + EscapeBytes(text).substr(0, 64);
    }).ok();
    return meaning;
  }

 private:
  const CryptoLibrary& crypto_;
  Url service_;
  const std::string query_;
  const std::string region_;
  const std::optional<Credentials> credentials_;
};

// The query for STS, sorted by name.
std::string QueryOf(const Role& role, const std::string& action,
                    const std::string& token) {
  std::string query = "Action=" + action;
  const auto add = [&](const char* name, const std::string& value) {
    if (value.empty()) return;
    query += std::string("&") + name + "=" + EncodeForSigning(value, false);
  };
  add("ExternalId", role.external_id);
  add("RoleArn", role.arn);
  add("RoleSessionName", role.session.empty() ? "shardine" : role.session);
  add("Version", "2011-06-15");
  add("WebIdentityToken", token);
  return query;
}

// `query` goes in the address, or in the body of a POST.
Result<FetchedCredentials> AskForRole(
    const CredentialPlace& place, std::string query, bool in_body,
    const std::optional<Credentials>& credentials) {
  SHARDINE_ASSIGN_OR_RETURN(const Url service, RoleServiceOf(place));
  SHARDINE_ASSIGN_OR_RETURN(const CryptoLibrary* const crypto,
                            CryptoLibrary::Load());
  HttpRequest request;
  request.url = service.text();
  request.name = request.url;
  request.has_secret = true;
  request.question = {.ask = Ask::kWhole, .first = 0, .size = kMaxAnswer};
  if (in_body) {
    request.method = "POST";
    request.body = std::as_bytes(std::span(query));
    request.headers = {"Content-Type: application/x-www-form-urlencoded"};
  }
  request.signer = std::make_shared<RoleRequest>(
      *crypto, service, in_body ? "" : query, place.region, credentials);
  SHARDINE_ASSIGN_OR_RETURN(HttpEngine* const engine, HttpEngine::OfProcess());
  HttpOutcome outcome = engine->Get(std::move(request), CurrentStop());
  Wipe(query);
  SHARDINE_RETURN_IF_ERROR(outcome.status);
  auto parsed = ParseRole(outcome.body, service.text());
  Wipe(outcome.body);
  return parsed;
}

}  // namespace

Result<FetchedCredentials> ParseCredentials(std::string_view json,
                                            const std::string& from) {
  const auto parsed = SecretJson::parse(json, nullptr, false);
  SHARDINE_ASSIGN_OR_RETURN(
      Credentials found, CredentialsIn(parsed, "AccessKeyId", "SecretAccessKey",
                                       {"SessionToken", "Token"}, from));
  return FetchedCredentials{
      .credentials = std::move(found),
      .expires = ParseWallTime(std::string(TextIn(parsed, "Expiration")))};
}

// Where the environment names an agent, and by which variable.
Result<std::optional<Url>> AgentOf(const CredentialPlace& place) {
  std::string path = place.environment.Of(kRelative);
  std::string url = place.environment.Of(kFull);
  if (path.empty() && url.empty()) return std::optional<Url>();
  const char* const name = path.empty() ? kFull : kRelative;
  if (!path.empty()) {
    url = kContainer + std::string(path.starts_with('/') ? "" : "/") + path;
  }
  Result<Url> agent = ParseSecretUrl(url, name, PlainHttp::kNever);
  if (agent.ok()) return std::optional<Url>(*std::move(agent));
  // The path may be the secret that tells one container from another: no
  // message shows it.
  return Status(Code::kInvalidArgument, agent.status().message());
}

Result<FetchedCredentials> CredentialsOfContainer(
    const CredentialPlace& place) {
  SHARDINE_ASSIGN_OR_RETURN(const std::optional<Url> agent, AgentOf(place));
  if (!agent) return Status(Code::kInvalidArgument, "there is no agent");
  HttpRequest request;
  request.url = agent->text();
  request.name = agent->scheme + "://" + agent->authority;
  std::string token = place.environment.Of("AWS_CONTAINER_AUTHORIZATION_TOKEN");
  const std::string file =
      place.environment.Of("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE");
  if (!file.empty()) {
    SHARDINE_ASSIGN_OR_RETURN(token, ReadToken(file));
  }
  if (token.find_first_of("\r\n") != token.npos) {
    return Status(Code::kInvalidArgument,
                  "a token for the container's agent has more than one line");
  }
  if (!token.empty()) request.headers.push_back("Authorization: " + token);
  const std::string name = request.name;
  SHARDINE_ASSIGN_OR_RETURN(std::string answer, AskBeside(std::move(request)));
  return ParseOnce(std::move(answer), name);
}

Result<Url> InstanceServiceOf(const CredentialPlace& place) {
  const char* const name = "AWS_EC2_METADATA_SERVICE_ENDPOINT";
  const std::string service = place.environment.Of(name);
  return ParseSecretUrl(service.empty() ? kInstance : service, name,
                        PlainHttp::kNever);
}

Result<FetchedCredentials> CredentialsOfInstance(const CredentialPlace& place) {
  SHARDINE_ASSIGN_OR_RETURN(const Url url, InstanceServiceOf(place));
  const std::string service = BaseOf(url);
  const auto request_for = [&](const std::string& path) {
    HttpRequest request;
    request.name = request.url = service + "/latest/" + path;
    return request;
  };
  HttpRequest request = request_for("api/token");
  request.method = "PUT";
  request.headers = {"X-aws-ec2-metadata-token-ttl-seconds: 21600"};
  SHARDINE_ASSIGN_OR_RETURN(const std::string token,
                            AskBeside(std::move(request)));
  if (token.find_first_of("\r\n") != token.npos) {
    return Status(Code::kRemote, "a token of more than one line")
        .At({.path = service});
  }
  const std::string proof = "X-aws-ec2-metadata-token: " + token;
  const std::string path = "meta-data/iam/security-credentials/";
  request = request_for(path);
  request.headers = {proof};
  SHARDINE_ASSIGN_OR_RETURN(std::string role, AskBeside(std::move(request)));
  role = role.substr(0, role.find_first_of("\r\n"));
  request = request_for(path + EncodeForSigning(role, false));
  request.headers = {proof};
  const std::string name = request.name;
  SHARDINE_ASSIGN_OR_RETURN(std::string answer, AskBeside(std::move(request)));
  return ParseOnce(std::move(answer), name);
}

Result<Url> RoleServiceOf(const CredentialPlace& place) {
  for (const char* name : {"AWS_ENDPOINT_URL_STS", "AWS_ENDPOINT_URL"}) {
    const std::string url = place.environment.Of(name);
    if (!url.empty()) return ParseSecretUrl(url, name, place.plain);
  }
  return ParseUrl("https://sts." + place.region + ".amazonaws.com");
}

Result<FetchedCredentials> CredentialsOfWebIdentity(
    const CredentialPlace& place, const Role& role,
    const std::string& token_file) {
  SHARDINE_ASSIGN_OR_RETURN(const std::string token, ReadToken(token_file));
  return AskForRole(place, QueryOf(role, "AssumeRoleWithWebIdentity", token),
                    /*in_body=*/true, std::nullopt);
}

Result<FetchedCredentials> CredentialsOfRole(
    const CredentialPlace& place, const Role& role,
    const std::shared_ptr<CredentialSource>& source) {
  SHARDINE_ASSIGN_OR_RETURN(const Credentials own, source->Get());
  return AskForRole(place, QueryOf(role, "AssumeRole", ""), /*in_body=*/false,
                    own);
}

}  // namespace shardine
