#include "io/random_token.h"

#include <unistd.h>

#include "base/check.h"

namespace shardine {

std::string RandomToken() {
  constexpr char kHex[] = "0123456789abcdef";
  unsigned char bytes[16];
  SHARDINE_CHECK(getentropy(bytes, sizeof bytes) == 0);
  std::string token;
  for (const unsigned char byte : bytes) {
    token += kHex[byte >> 4];
    token += kHex[byte & 15];
  }
  return token;
}

}  // namespace shardine
