#include "base/library_versions.h"

#include <hwy/highway.h>
#include <isa-l.h>
#include <utf8proc.h>
#include <xxhash.h>
#include <zlib.h>
#include <zstd.h>

namespace shardine {
namespace {

std::string Dotted(unsigned major, unsigned minor, unsigned patch) {
  return std::to_string(major) + "." + std::to_string(minor) + "." +
         std::to_string(patch);
}

}  // namespace

std::vector<std::string> BaseLibraryVersions() {
  const unsigned xxhash = XXH_versionNumber();
  return {"Highway " + Dotted(HWY_MAJOR, HWY_MINOR, HWY_PATCH),
          "ISA-L " + Dotted(ISAL_MAJOR_VERSION, ISAL_MINOR_VERSION,
                            ISAL_PATCH_VERSION),
          std::string("utf8proc ") + utf8proc_version(),
          "xxHash " + Dotted(xxhash / 10'000, xxhash / 100 % 100, xxhash % 100),
          std::string("zlib ") + zlibVersion(),
          std::string("zstd ") + ZSTD_versionString()};
}

}  // namespace shardine
