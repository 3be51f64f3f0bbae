#include "remote/secret_json.h"

namespace shardine {

SecretText TextIn(const SecretJson& object, const char* name) {
  if (!object.is_object()) return {};
  const auto found = object.find(name);
  return found == object.end() || !found->is_string()
             ? SecretText()
             : found->get<SecretText>();
}

Result<Credentials> CredentialsIn(const SecretJson& object, const char* id,
                                  const char* secret,
                                  std::initializer_list<const char*> tokens,
                                  const std::string& from) {
  Credentials found{.key_id = std::string(TextIn(object, id)),
                    .secret = TextIn(object, secret),
                    .token = {}};
  for (const char* name : tokens) {
    if (found.token.empty()) found.token = TextIn(object, name);
  }
  if (!found.key_id.empty() && !found.secret.empty()) return found;
  return Status(Code::kRemote, "gives no credentials").At({.path = from});
}

}  // namespace shardine
