#include "dataset/kept_companions.h"

#include <memory>

#include "cache/open_cache.h"
#include "io/path_scheme.h"

namespace shardine {

void KeepCompanions(DatasetReader& reader) {
  if (SchemeOf(reader.directory()).empty()) return;
  auto cache = OpenCache("", 0);
  // Without one they are kept in memory.
  reader.UseCompanions(std::make_shared<const CompanionFiles>(
      cache.ok() ? *std::move(cache) : nullptr));
}

}  // namespace shardine
