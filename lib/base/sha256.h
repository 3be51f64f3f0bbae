// SHA-256 (FIPS 180-4), for names that nobody can make equal on purpose. The
// signatures of requests use libcrypto's, which is faster.
#ifndef SHARDINE_BASE_SHA256_H_
#define SHARDINE_BASE_SHA256_H_

#include <string>
#include <string_view>

namespace shardine {

// 64 hex digits in lower case.
std::string Sha256Hex(std::string_view text);

}  // namespace shardine

#endif  // SHARDINE_BASE_SHA256_H_
