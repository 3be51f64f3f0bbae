// The findings of verify on the dataset "out", for tests of damage.
#ifndef SHARDINE_TESTS_SUPPORT_VERIFY_FINDINGS_H_
#define SHARDINE_TESTS_SUPPORT_VERIFY_FINDINGS_H_

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "io/storage.h"
#include "shardine/verify.h"

namespace shardine {

// Verifies on one thread. `against` as in VerifyOptions. The run itself must
// succeed.
inline std::vector<Status> FindingsOf(Storage& storage,
                                      VerifyLevel level = VerifyLevel::kFull,
                                      const std::string& against = "") {
  VerifyOptions options;
  options.target = "out";
  options.level = level;
  options.against = against;
  options.threads = 1;
  const auto result = Verify(options, {.storage = &storage});
  REQUIRE(result.status().ToString() == "OK");
  return result->findings;
}

}  // namespace shardine

#endif  // SHARDINE_TESTS_SUPPORT_VERIFY_FINDINGS_H_
