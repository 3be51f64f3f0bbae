// Any bytes as an archive that is a source: errors or a tree, in which every
// listed file has a size, and either so many bytes or an error.
#include <cstddef>
#include <cstdint>
#include <string>

#include "archive/archive_storage.h"
#include "base/check.h"
#include "io/memory_storage.h"

namespace shardine {
namespace {

constexpr std::uint64_t kMostRead = std::uint64_t{1} << 20;

void ReadAll(ReadableStorage& storage, const std::string& folder) {
  const auto entries = storage.List(folder);
  SHARDINE_CHECK(entries.ok());
  for (const DirEntry& entry : *entries) {
    const std::string path = folder + "/" + entry.name;
    SHARDINE_CHECK(entry.name != "." && entry.name != "..");
    const auto info = storage.Stat(path);
    SHARDINE_CHECK(info.ok() && info->kind == entry.kind);
    if (info->kind == FileKind::kDirectory) {
      ReadAll(storage, path);
      continue;
    }
    const auto file = storage.Open(path);
    SHARDINE_CHECK(file.ok() && (*file)->size() == info->size);
    if (info->size > kMostRead) continue;
    ByteBuffer bytes;
    bytes.Resize(static_cast<std::size_t>(info->size));
    const auto count = (*file)->ReadAt(0, bytes.span());
    SHARDINE_CHECK(!count.ok() || *count == info->size);
  }
}

}  // namespace
}  // namespace shardine

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  using namespace shardine;
  MemoryStorage below;
  below.Put("x", {reinterpret_cast<const char*>(data), size});
  ArchiveStorage storage(below);
  const auto added = storage.Add(
      "x", [](std::string_view name) { return name.ends_with(".jpg"); });
  if (!added.ok()) {
    SHARDINE_CHECK(added.status().where().path.starts_with("x"));
    return 0;
  }
  ReadAll(storage, "x");
  return 0;
}
