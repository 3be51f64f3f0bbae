// SHA-256 and HMAC of OpenSSL's libcrypto, loaded when the first request is
// signed, as libcurl is (remote/curl_library.h).
#ifndef SHARDINE_REMOTE_CRYPTO_LIBRARY_H_
#define SHARDINE_REMOTE_CRYPTO_LIBRARY_H_

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "shardine/status.h"

namespace shardine {

using Sha256 = std::array<std::uint8_t, 32>;

// Thread-safe.
class CryptoLibrary {
 public:
  // Never unloaded. kUnsupported, naming the package to install: this machine
  // has none.
  static Result<const CryptoLibrary*> Load();

  // "OpenSSL 3.0.11 19 Sep 2023".
  std::string version() const { return version_(OPENSSL_VERSION); }
  Sha256 Digest(std::string_view bytes) const;
  // In lower-case hex: Amazon's tools name the files of sessions by it.
  std::string Sha1Hex(std::string_view bytes) const;
  Sha256 Hmac(std::string_view key, std::string_view bytes) const;

 private:
  CryptoLibrary() = default;
  static Result<const CryptoLibrary*> Find();

  decltype(&::EVP_sha256) sha256_ = nullptr;
  decltype(&::EVP_sha1) sha1_ = nullptr;
  decltype(&::EVP_Digest) digest_ = nullptr;
  decltype(&::HMAC) hmac_ = nullptr;
  decltype(&::OpenSSL_version) version_ = nullptr;
};

// In lower-case hex.
std::string ToHex(std::span<const std::uint8_t> digest);
inline std::string_view AsText(const Sha256& digest) {
  return {reinterpret_cast<const char*>(digest.data()), digest.size()};
}

}  // namespace shardine

#endif  // SHARDINE_REMOTE_CRYPTO_LIBRARY_H_
