#include "remote/credential_services.h"

#include <stdio.h>

#include <ctime>
#include <utility>
#include <vector>

#include "base/status_macros.h"
#include "base/stop_scope.h"
#include "remote/aws_profile.h"
#include "remote/http_engine.h"
#include "remote/secret_json.h"
#include "remote/service_time.h"
#include "remote/xml_reader.h"

namespace shardine {
namespace {

constexpr std::size_t kMaxAnswer = 1 << 20;
constexpr const char* kInstance = "http://169.254.169.254";
constexpr const char* kContainer = "http://169.254.170.2";

// On this machine or beside it: what does not answer soon is not there.
Result<std::string> AskBeside(HttpRequest request) {
  request.past_proxies = true;
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

// Of an answer with secrets, of which nothing is left.
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
      ReadXml(xml, [&](const XmlPath& path, const std::string& text) {
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

std::string ServiceUrl(const std::string& region) {
  for (const char* name : {"AWS_ENDPOINT_URL_STS", "AWS_ENDPOINT_URL"}) {
    if (std::string url = Environment(name); !url.empty()) return url;
  }
  return "https://sts." + region + ".amazonaws.com";
}

// Asks STS for what `query`, sorted by name, says; signed if there is a source.
class RoleRequest : public RequestSigner {
 public:
  RoleRequest(const CryptoLibrary& crypto, std::string url, std::string query,
              std::string region, std::optional<Credentials> credentials)
      : crypto_(crypto),
        url_(std::move(url)),
        query_(std::move(query)),
        region_(std::move(region)),
        credentials_(std::move(credentials)) {
    while (url_.ends_with('/')) url_.pop_back();
  }

  Signed Sign() override {
    Signed made{.url = url_ + "/?" + query_, .headers = {}};
    if (!credentials_) return made;
    const std::string host = url_.substr(url_.find("://") + 3);
    made.headers = SignV4(
        crypto_, *credentials_, {.region = region_, .service = "sts"},
        {.host = host, .path = "/", .query = query_}, std::time(nullptr));
    return made;
  }
  Meaning Explain(const HttpAnswer& answer, std::string_view body) override {
    Meaning meaning{.words = answer.words(), .request_id = {}, .again = false};
    (void)ReadXml(body, [&](const XmlPath& path, const std::string& text) {
      if (path.back() == "Code") meaning.words += " " + text;
    }).ok();
    return meaning;
  }

 private:
  const CryptoLibrary& crypto_;
  std::string url_;
  const std::string query_;
  const std::string region_;
  const std::optional<Credentials> credentials_;
};

Result<FetchedCredentials> AskForRole(
    const Role& role, const std::string& action, const std::string& token,
    const std::optional<Credentials>& credentials) {
  SHARDINE_ASSIGN_OR_RETURN(const CryptoLibrary* const crypto,
                            CryptoLibrary::Load());
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
  HttpRequest request;
  request.url = ServiceUrl(role.region);
  request.name = request.url;
  request.question = {.ask = Ask::kWhole, .first = 0, .size = kMaxAnswer};
  request.signer = std::make_shared<RoleRequest>(*crypto, request.url, query,
                                                 role.region, credentials);
  SHARDINE_ASSIGN_OR_RETURN(HttpEngine* const engine, HttpEngine::OfProcess());
  HttpOutcome outcome = engine->Get(request, CurrentStop());
  SHARDINE_RETURN_IF_ERROR(outcome.status);
  auto parsed = ParseRole(outcome.body, request.url);
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

Result<FetchedCredentials> CredentialsOfProcess(const std::string& command) {
  const std::string name = "credential_process";
  FILE* const output = popen(command.c_str(), "re");
  if (output == nullptr) return Status::FromErrno(errno, "start", name);
  setvbuf(output, nullptr, _IONBF, 0);  // or it would keep the answer
  SecretText text(kMaxAnswer, '\0');
  text.resize(fread(text.data(), 1, text.size(), output));
  if (pclose(output) != 0) {
    return Status(Code::kFailed, "the program of the profile failed")
        .At({.path = name});
  }
  return ParseCredentials(text, name);
}

Result<FetchedCredentials> CredentialsOfContainer(const std::string& url) {
  HttpRequest request;
  request.name = request.url = url.starts_with('/') ? kContainer + url : url;
  std::string token = Environment("AWS_CONTAINER_AUTHORIZATION_TOKEN");
  const std::string file =
      Environment("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE");
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

Result<FetchedCredentials> CredentialsOfInstance() {
  std::string service = Environment("AWS_EC2_METADATA_SERVICE_ENDPOINT");
  if (service.empty()) service = kInstance;
  while (service.ends_with('/')) service.pop_back();
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

Result<FetchedCredentials> CredentialsOfWebIdentity(
    const Role& role, const std::string& token_file) {
  SHARDINE_ASSIGN_OR_RETURN(const std::string token, ReadToken(token_file));
  return AskForRole(role, "AssumeRoleWithWebIdentity", token, std::nullopt);
}

Result<FetchedCredentials> CredentialsOfRole(
    const Role& role, const std::shared_ptr<CredentialSource>& source) {
  SHARDINE_ASSIGN_OR_RETURN(const Credentials own, source->Get());
  return AskForRole(role, "AssumeRole", "", own);
}

}  // namespace shardine
