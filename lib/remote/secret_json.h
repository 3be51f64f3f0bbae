// JSON with secrets in it: its texts are wiped. Of the text that the library's
// scanner read last something may be left until that memory is used again.
#ifndef SHARDINE_REMOTE_SECRET_JSON_H_
#define SHARDINE_REMOTE_SECRET_JSON_H_

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <vector>

#include "remote/secret.h"

namespace shardine {

using SecretJson =
    nlohmann::basic_json<std::map, std::vector, SecretText, bool, std::int64_t,
                         std::uint64_t, double, WipingAllocator>;

// Empty where the object has no such text, or is none.
inline SecretText TextIn(const SecretJson& object, const char* name) {
  if (!object.is_object()) return {};
  const auto found = object.find(name);
  return found == object.end() || !found->is_string()
             ? SecretText()
             : found->get<SecretText>();
}

}  // namespace shardine

#endif  // SHARDINE_REMOTE_SECRET_JSON_H_
