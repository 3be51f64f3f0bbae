// Any bytes as a .rec, and as an .idx: errors, never crashes, and extents at
// which the file holds the returned bytes.
#include <algorithm>
#include <string>

#include "base/check.h"
#include "io/memory_storage.h"
#include "recordio/recordio_index.h"
#include "recordio/recordio_scanner.h"

namespace shardine {
namespace {

void CheckExtents(std::string_view file, const ScannedField& field) {
  std::string_view rest = AsText(field.bytes);
  for (const Extent& extent : field.extents) {
    SHARDINE_CHECK(extent.offset <= file.size());
    SHARDINE_CHECK(extent.length <= file.size() - extent.offset);
    SHARDINE_CHECK(rest.starts_with(file.substr(extent.offset, extent.length)));
    rest.remove_prefix(extent.length);
  }
  SHARDINE_CHECK(rest.empty());
}

void Scan(const RandomAccessFile& file, std::string_view contents) {
  const auto scanner = OpenRecordIoScanner(file, {});
  SHARDINE_CHECK(scanner.ok());
  for (;;) {
    const auto sample = (*scanner)->Next();
    if (!sample.ok()) SHARDINE_CHECK(sample.status().where().record);
    if (!sample.ok() || !*sample) return;
    CheckExtents(contents, (*sample)->fields[0]);
  }
}

}  // namespace
}  // namespace shardine

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  const std::string contents(data, data + size);
  shardine::MemoryStorage storage;
  storage.Put("x", contents);
  const auto file = storage.Open("x");
  SHARDINE_CHECK(file.ok());
  shardine::Scan(**file, contents);
  const auto entries = shardine::ReadIdx(**file);
  SHARDINE_CHECK(entries.ok() || entries.status().where().offset);
  return 0;
}
