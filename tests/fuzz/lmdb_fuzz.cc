// Any bytes as an LMDB file, in the layout that is detected and in each other:
// errors, never crashes, and extents at which the file holds the returned
// bytes.
#include <algorithm>
#include <string>

#include "base/check.h"
#include "io/memory_storage.h"
#include "lmdb/lmdb_format.h"
#include "lmdb/lmdb_layouts.h"

namespace shardine {
namespace {

void CheckExtents(std::string_view file, const ScannedField& field) {
  if (field.extents.empty()) return;
  std::string_view rest = AsText(field.bytes);
  for (const Extent& extent : field.extents) {
    SHARDINE_CHECK(extent.offset <= file.size());
    SHARDINE_CHECK(extent.length <= file.size() - extent.offset);
    SHARDINE_CHECK(rest.starts_with(file.substr(extent.offset, extent.length)));
    rest.remove_prefix(extent.length);
  }
  SHARDINE_CHECK(rest.empty());
}

void Scan(const RandomAccessFile& file, std::string_view contents,
          const LayoutChoice& layout) {
  const auto scanner = kLmdbFormat.open_scanner(file, layout);
  if (!scanner.ok()) {
    SHARDINE_CHECK(scanner.status().where().offset);
    return;
  }
  for (;;) {
    const auto sample = (*scanner)->Next();
    if (!sample.ok()) SHARDINE_CHECK(sample.status().where().record);
    if (!sample.ok() || !*sample) return;
    for (const ScannedField& field : (*sample)->fields) {
      CheckExtents(contents, field);
    }
  }
}

}  // namespace
}  // namespace shardine

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  using namespace shardine;
  const std::string contents(data, data + size);
  MemoryStorage storage;
  storage.Put("x", contents);
  const auto file = storage.Open("x");
  SHARDINE_CHECK(file.ok());
  const auto detected = kLmdbFormat.detect_layout(**file);
  SHARDINE_CHECK(detected.ok() || detected.status().where().offset);
  for (const Layout& layout : kLmdbLayouts) {
    Scan(**file, contents, DefaultsOf(layout));
  }
  return 0;
}
