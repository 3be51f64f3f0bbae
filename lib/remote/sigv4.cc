#include "remote/sigv4.h"

#include <algorithm>
#include <cstring>
#include <ctime>

#include "remote/percent_code.h"

namespace shardine {
namespace {

constexpr const char* kAlgorithm = "AWS4-HMAC-SHA256";

// "20130524T000000Z".
std::string DateText(std::int64_t now) {
  const std::time_t seconds = now;
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  char text[32];
  return {text, std::strftime(text, sizeof text, "%Y%m%dT%H%M%SZ", &parts)};
}

// In hex.
std::string Signature(const CryptoLibrary& crypto, const Secret& secret,
                      std::string_view day, const SigningScope& scope,
                      const std::string& text) {
  SecretText first("AWS4");
  first.append(secret.reveal());
  Sha256 key = crypto.Hmac(first, day);
  key = crypto.Hmac(AsText(key), scope.region);
  key = crypto.Hmac(AsText(key), scope.service);
  key = crypto.Hmac(AsText(key), "aws4_request");
  const std::string signature = ToHex(crypto.Hmac(AsText(key), text));
  // It signs whatever else is asked that day.
  explicit_bzero(key.data(), key.size());
  return signature;
}

}  // namespace

Status CheckCredentials(const Credentials& credentials) {
  const auto is_line = [](std::string_view text) {
    return std::ranges::none_of(
        text, [](unsigned char c) { return c < 0x20 || c == 0x7F; });
  };
  const bool is_good = !credentials.key_id.empty() &&
                       is_line(credentials.key_id) &&
                       is_line(credentials.secret.reveal()) &&
                       is_line(credentials.token.reveal());
  if (is_good) return Status();
  return Status(Code::kInvalidArgument,
                "credentials for S3 are to be one line each, and are not");
}

std::vector<std::string> SignV4(const CryptoLibrary& crypto,
                                const Credentials& credentials,
                                const SigningScope& scope,
                                RequestToSign request, std::int64_t now) {
  const std::string date = DateText(now);
  const std::string_view day = std::string_view(date).substr(0, 8);
  std::map<std::string, std::string>& headers = request.headers;
  headers["x-amz-date"] = date;
  headers["x-amz-content-sha256"] = request.payload_sha256;
  if (!credentials.token.empty()) {
    headers["x-amz-security-token"] = credentials.token.reveal();
  }
  std::vector<std::string> lines;
  for (const auto& [name, value] : headers) {
    lines.push_back(name);
    lines.back().append(": ").append(value);
  }

  headers["host"] = request.host;
  std::string canonical, names;
  for (const auto& [name, value] : headers) {
    canonical.append(name).append(":").append(value).append("\n");
    names.append(names.empty() ? "" : ";").append(name);
  }
  canonical = std::string(request.method) + "\n" + std::string(request.path) +
              "\n" + std::string(request.query) + "\n" + canonical + "\n" +
              names + "\n" + request.payload_sha256;
  const std::string place = std::string(day) + "/" + scope.region + "/" +
                            scope.service + "/aws4_request";
  const std::string to_sign = std::string(kAlgorithm) + "\n" + date + "\n" +
                              place + "\n" + ToHex(crypto.Digest(canonical));
  const std::string signature =
      Signature(crypto, credentials.secret, day, scope, to_sign);
  lines.push_back("Authorization: " + std::string(kAlgorithm) +
                  " Credential=" + credentials.key_id + "/" + place +
                  ",SignedHeaders=" + names + ",Signature=" + signature);
  return lines;
}

std::string EncodeForSigning(std::string_view text, bool keep_slash) {
  std::string encoded;
  for (const char c : text) {
    const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    const bool is_digit = c >= '0' && c <= '9';
    if (is_letter || is_digit || c == '-' || c == '.' || c == '_' || c == '~' ||
        (c == '/' && keep_slash)) {
      encoded += c;
      continue;
    }
    AppendPercentCode(c, encoded);
  }
  return encoded;
}

}  // namespace shardine
