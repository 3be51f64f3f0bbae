#include "remote/sigv4.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

namespace shardine::sigv4_test {
namespace {

const CryptoLibrary& Crypto() {
  const auto crypto = CryptoLibrary::Load();
  REQUIRE(crypto.ok());
  return **crypto;
}

// The account and the moment of Amazon's examples:
// https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html
const Credentials kExample{.key_id = "AKIAIOSFODNN7EXAMPLE",
                           .secret = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
                           .token = {}};
constexpr std::int64_t kThen = 1369353600;  // 2013-05-24 00:00:00 UTC
constexpr const char* kHost = "examplebucket.s3.amazonaws.com";

std::string AuthorizationOf(RequestToSign request) {
  const std::vector<std::string> lines =
      SignV4(Crypto(), kExample, {.region = "us-east-1", .service = "s3"},
             std::move(request), kThen);
  return lines.back();
}

std::string Expected(const std::string& headers, const std::string& signature) {
  return "Authorization: AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/"
         "20130524/us-east-1/s3/aws4_request,SignedHeaders=" +
         headers + ",Signature=" + signature;
}

TEST_CASE("Amazon's examples are signed as Amazon signs them", "[remote]") {
  CHECK(AuthorizationOf({.host = kHost,
                         .path = "/test.txt",
                         .headers = {{"range", "bytes=0-9"}}}) ==
        Expected("host;range;x-amz-content-sha256;x-amz-date",
                 "f0e8bdb87c964420e857bd35b5d6ed31"
                 "0bd44f0170aba48dd91039c6036bdb41"));
  CHECK(AuthorizationOf({.host = kHost, .path = "/", .query = "lifecycle="}) ==
        Expected("host;x-amz-content-sha256;x-amz-date",
                 "fea454ca298b7da1c68078a5d1bdbfbb"
                 "e0d65c699e0f91ac7a200a0136783543"));
  CHECK(AuthorizationOf(
            {.host = kHost, .path = "/", .query = "max-keys=2&prefix=J"}) ==
        Expected("host;x-amz-content-sha256;x-amz-date",
                 "34b48302e7b5fa45bde8084f4b7868a8"
                 "6f0a534bc59db6670ed5711ef69dc6f7"));
  const std::string body = "Welcome to Amazon S3.";
  CHECK(AuthorizationOf(
            {.method = "PUT",
             .host = kHost,
             .path = "/test%24file.text",
             .headers = {{"date", "Fri, 24 May 2013 00:00:00 GMT"},
                         {"x-amz-storage-class", "REDUCED_REDUNDANCY"}},
             .payload_sha256 = ToHex(Crypto().Digest(body))}) ==
        Expected("date;host;x-amz-content-sha256;x-amz-date;x-amz-storage-"
                 "class",
                 "98ad721746da40c64f1a55b78f14c238"
                 "d841ea1380cd77a1b5971af0ece108bd"));
}

TEST_CASE("The token of a session is sent and signed", "[remote]") {
  Credentials role = kExample;
  role.token = "TOKEN";
  const std::vector<std::string> lines =
      SignV4(Crypto(), role, {.region = "us-east-1", .service = "s3"},
             {.host = kHost, .path = "/"}, kThen);
  CHECK(std::find(lines.begin(), lines.end(), "x-amz-security-token: TOKEN") !=
        lines.end());
  CHECK(lines.back().find("x-amz-date;x-amz-security-token,") !=
        std::string::npos);
}

TEST_CASE("Credentials that would end a header's line are refused",
          "[remote]") {
  CHECK(CheckCredentials(kExample).ok());
  for (const char* text : {"a\r\nb", "a\nb", "\x7F", "\x01"}) {
    Credentials bad_id = kExample, bad_secret = kExample, bad_token = kExample;
    bad_id.key_id = text;
    bad_secret.secret = text;
    bad_token.token = text;
    for (const Credentials& bad : {bad_id, bad_secret, bad_token}) {
      const Status status = CheckCredentials(bad);
      CHECK(status.code() == Code::kInvalidArgument);
      CHECK(status.ToString().find(text) == std::string::npos);
    }
  }
  CHECK_FALSE(CheckCredentials({}).ok());
}

TEST_CASE("What is signed is encoded as Amazon encodes it", "[remote]") {
  CHECK(EncodeForSigning("a/B9-._~", true) == "a/B9-._~");
  CHECK(EncodeForSigning("a/ +%=\xC3\xA4", false) == "a%2F%20%2B%25%3D%C3%A4");
}

}  // namespace
}  // namespace shardine::sigv4_test
