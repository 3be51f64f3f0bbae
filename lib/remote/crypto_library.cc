#include "remote/crypto_library.h"

#include <dlfcn.h>

#include "base/check.h"
#include "remote/curl_library.h"
#include "remote/loaded_library.h"

namespace shardine {

Result<const CryptoLibrary*> CryptoLibrary::Find() {
  void* library = nullptr;
  for (const char* name : {kOwnLibrary, "libcrypto.so.3", "libcrypto.so.1.1"}) {
    if (library == nullptr) library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  }
  auto* const crypto = new CryptoLibrary;
  const auto find = [library](const char* name, auto& function) {
    function = reinterpret_cast<std::decay_t<decltype(function)>>(
        library == nullptr ? nullptr : dlsym(library, name));
    return function != nullptr;
  };
  if (find("EVP_sha256", crypto->sha256_) && find("EVP_sha1", crypto->sha1_) &&
      find("EVP_Digest", crypto->digest_) && find("HMAC", crypto->hmac_) &&
      find("EVP_MD_CTX_new", crypto->new_context_) &&
      find("EVP_MD_CTX_free", crypto->free_context_) &&
      find("EVP_DigestInit_ex", crypto->begin_) &&
      find("EVP_DigestUpdate", crypto->update_) &&
      find("EVP_DigestFinal_ex", crypto->end_) &&
      find("OpenSSL_version", crypto->version_)) {
    return static_cast<const CryptoLibrary*>(crypto);
  }
  delete crypto;
  return Status(Code::kUnsupported,
                "requests to S3 and digests of files need OpenSSL's "
                "libcrypto, which this machine does not have (Debian: "
                "apt-get install libssl3)");
}

Result<const CryptoLibrary*> CryptoLibrary::Load() {
  static constinit LoadedLibrary<CryptoLibrary> loaded;
  return loaded.Get(Find);
}

Sha256 CryptoLibrary::Digest(std::string_view bytes) const {
  Sha256 digest;
  unsigned size = 0;
  const int done = digest_(bytes.data(), bytes.size(), digest.data(), &size,
                           sha256_(), nullptr);
  SHARDINE_CHECK(done == 1 && size == digest.size());
  return digest;
}

Sha256 CryptoLibrary::Hmac(std::string_view key, std::string_view bytes) const {
  Sha256 code;
  unsigned size = 0;
  const auto* const data = reinterpret_cast<const unsigned char*>(bytes.data());
  const auto* const done =
      hmac_(sha256_(), key.data(), static_cast<int>(key.size()), data,
            bytes.size(), code.data(), &size);
  SHARDINE_CHECK(done != nullptr && size == code.size());
  return code;
}

std::string CryptoLibrary::Sha1Hex(std::string_view bytes) const {
  std::array<std::uint8_t, 20> digest{};
  unsigned size = 0;
  const int done = digest_(bytes.data(), bytes.size(), digest.data(), &size,
                           sha1_(), nullptr);
  SHARDINE_CHECK(done == 1 && size == digest.size());
  return ToHex(digest);
}

Sha256Stream::Sha256Stream(const CryptoLibrary& crypto)
    : crypto_(crypto), context_(crypto.new_context_()) {
  SHARDINE_CHECK(context_ != nullptr &&
                 crypto_.begin_(context_, crypto_.sha256_(), nullptr) == 1);
}

Sha256Stream::~Sha256Stream() { crypto_.free_context_(context_); }

void Sha256Stream::Update(std::span<const std::byte> bytes) {
  SHARDINE_CHECK(crypto_.update_(context_, bytes.data(), bytes.size()) == 1);
}

Sha256 Sha256Stream::Finish() {
  Sha256 digest;
  unsigned size = 0;
  const int done = crypto_.end_(context_, digest.data(), &size);
  SHARDINE_CHECK(done == 1 && size == digest.size());
  return digest;
}

std::string ToHex(std::span<const std::uint8_t> digest) {
  constexpr char kHex[] = "0123456789abcdef";
  std::string hex;
  for (const std::uint8_t byte : digest) {
    hex += kHex[byte >> 4];
    hex += kHex[byte & 15];
  }
  return hex;
}

}  // namespace shardine
