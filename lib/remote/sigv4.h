// AWS Signature Version 4: the headers that prove a request's sender.
// https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html
#ifndef SHARDINE_REMOTE_SIGV4_H_
#define SHARDINE_REMOTE_SIGV4_H_

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "remote/crypto_library.h"
#include "remote/secret.h"

namespace shardine {

// Keys of an account, or of a role that it took for a while. Not for logs.
struct Credentials {
  std::string key_id;
  Secret secret;
  Secret token;  // of a session; empty: there is none

  friend bool operator==(const Credentials&, const Credentials&) = default;
};

// kInvalidArgument: one has a byte that ends the line of a header, or there is
// no name of a key. They are not quoted.
Status CheckCredentials(const Credentials& credentials);

// SHA-256 of no bytes.
inline constexpr const char* kEmptySha256 =
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

// The parts of a request that the signature covers.
struct RequestToSign {
  std::string_view method = "GET";
  // The parts of the address, as they are sent: in %XX but for letters, digits
  // and -._~ (and / in the path); the query sorted by name.
  std::string_view host;
  std::string_view path;
  std::string_view query = {};
  // Signed beside the headers made here; names in lower case.
  std::map<std::string, std::string> headers = {};
  std::string payload_sha256 = kEmptySha256;  // in hex
};

struct SigningScope {
  std::string region;
  std::string service;
};

// "Name: value" of each header to be sent: those given, x-amz-date,
// x-amz-content-sha256, x-amz-security-token and Authorization. `now` is in
// seconds since 1970.
std::vector<std::string> SignV4(const CryptoLibrary& crypto,
                                const Credentials& credentials,
                                const SigningScope& scope,
                                RequestToSign request, std::int64_t now);

// Letters, digits, -._~ and, if `keep_slash`, / stay; all else is %XX.
std::string EncodeForSigning(std::string_view text, bool keep_slash);

}  // namespace shardine

#endif  // SHARDINE_REMOTE_SIGV4_H_
