// JSON with secrets in it: its texts are wiped. A part of the text that the
// library's scanner read last may be left until that memory is used again.
#ifndef SHARDINE_REMOTE_SECRET_JSON_H_
#define SHARDINE_REMOTE_SECRET_JSON_H_

#include <cstdint>
#include <initializer_list>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "remote/secret.h"
#include "remote/sigv4.h"
#include "shardine/status.h"

namespace shardine {

using SecretJson =
    nlohmann::basic_json<std::map, std::vector, SecretText, bool, std::int64_t,
                         std::uint64_t, double, WipingAllocator>;

// Empty where the object has no such text, or is no object.
SecretText TextIn(const SecretJson& object, const char* name);

// The credentials in an object that has an id, a secret and, in one of
// `tokens`, the token of a session under these names. kRemote, from `from`: id
// or secret is missing; no byte is quoted.
Result<Credentials> CredentialsIn(const SecretJson& object, const char* id,
                                  const char* secret,
                                  std::initializer_list<const char*> tokens,
                                  const std::string& from);

}  // namespace shardine

#endif  // SHARDINE_REMOTE_SECRET_JSON_H_
