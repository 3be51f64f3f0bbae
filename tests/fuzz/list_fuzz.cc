// Whatever ListReader takes, AppendListLine writes, and its lines read as the
// same.
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "base/check.h"
#include "io/memory_storage.h"
#include "source/list_file.h"

namespace shardine {
namespace {

// The good lines of `list`, written again.
std::string Rewrite(std::string list) {
  MemoryStorage storage;
  storage.Put("list", std::move(list));
  const auto file = storage.Open("list");
  ListReader reader(**file);
  std::string text;
  for (ListEntry entry;;) {
    const Result<bool> more = reader.Next(entry);
    if (!more.ok() || !*more) return text;
    const Status status =
        AppendListLine(entry.id, entry.labels, entry.path, text);
    SHARDINE_CHECK(status.ok());
  }
}

}  // namespace
}  // namespace shardine

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  const std::string once =
      shardine::Rewrite({reinterpret_cast<const char*>(data), size});
  SHARDINE_CHECK(shardine::Rewrite(once) == once);
  return 0;
}
