// Credentials from services, programs and files: taken whole or not at all, and
// never quoted.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "remote/aws_profile.h"
#include "remote/credential_services.h"
#include "remote/service_time.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  using namespace shardine;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto fetched = ParseCredentials(text, "here");
  if (fetched.ok()) {
    SHARDINE_CHECK(!fetched->credentials.key_id.empty());
    SHARDINE_CHECK(!fetched->credentials.secret.empty());
  } else {
    SHARDINE_CHECK(fetched.status().ToString() == "here: gives no credentials");
  }
  for (const auto& [name, settings] : ParseAwsFile(text)) {
    for (const auto& [key, value] : settings) {
      SHARDINE_CHECK(key.find('\n') == key.npos);
      SHARDINE_CHECK(value.find('\n') == value.npos);
    }
  }
  static_cast<void>(ParseServiceTime(std::string(text)));
  return 0;
}
