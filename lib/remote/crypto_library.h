// SHA-256 and HMAC of OpenSSL's libcrypto, loaded when they are first needed,
// as libcurl is (remote/curl_library.h).
#ifndef SHARDINE_REMOTE_CRYPTO_LIBRARY_H_
#define SHARDINE_REMOTE_CRYPTO_LIBRARY_H_

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <array>
#include <cstddef>
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
  friend class Sha256Stream;
  CryptoLibrary() = default;
  static Result<const CryptoLibrary*> Find();

  decltype(&::EVP_sha256) sha256_ = nullptr;
  decltype(&::EVP_sha1) sha1_ = nullptr;
  decltype(&::EVP_Digest) digest_ = nullptr;
  decltype(&::EVP_MD_CTX_new) new_context_ = nullptr;
  decltype(&::EVP_MD_CTX_free) free_context_ = nullptr;
  decltype(&::EVP_DigestInit_ex) begin_ = nullptr;
  decltype(&::EVP_DigestUpdate) update_ = nullptr;
  decltype(&::EVP_DigestFinal_ex) end_ = nullptr;
  decltype(&::HMAC) hmac_ = nullptr;
  decltype(&::OpenSSL_version) version_ = nullptr;
};

// SHA-256 of bytes that come piece by piece. Thread-compatible.
class Sha256Stream {
 public:
  // `crypto` must outlive the stream.
  explicit Sha256Stream(const CryptoLibrary& crypto);
  ~Sha256Stream();
  Sha256Stream(const Sha256Stream&) = delete;
  Sha256Stream& operator=(const Sha256Stream&) = delete;

  void Update(std::span<const std::byte> bytes);
  // REQUIRES: called once, and last.
  Sha256 Finish();

 private:
  const CryptoLibrary& crypto_;
  ::EVP_MD_CTX* const context_;
};

// In lower-case hex.
std::string ToHex(std::span<const std::uint8_t> digest);
inline std::string_view AsText(const Sha256& digest) {
  return {reinterpret_cast<const char*>(digest.data()), digest.size()};
}

}  // namespace shardine

#endif  // SHARDINE_REMOTE_CRYPTO_LIBRARY_H_
