// Checks of a dataset that a verb made: the contents of its manifest, and no
// findings of verify.
#ifndef SHARDINE_TESTS_SUPPORT_DATASET_CHECKS_H_
#define SHARDINE_TESTS_SUPPORT_DATASET_CHECKS_H_

#include <catch2/catch.hpp>
#include <string>
#include <utility>

#include "dataset/manifest.h"
#include "io/storage.h"
#include "shardine/verify.h"

namespace shardine {

inline Manifest ManifestOf(Storage& storage, const std::string& directory) {
  auto manifest = ReadManifest(storage, directory);
  REQUIRE(manifest.status().ToString() == "OK");
  return *std::move(manifest);
}

inline void CheckSound(Storage& storage, const std::string& target) {
  VerifyOptions options;
  options.target = target;
  const auto verified = Verify(options, {.storage = &storage});
  REQUIRE(verified.status().ToString() == "OK");
  for (const Status& finding : verified->findings) {
    FAIL_CHECK(finding.ToString());
  }
}

}  // namespace shardine

#endif  // SHARDINE_TESTS_SUPPORT_DATASET_CHECKS_H_
