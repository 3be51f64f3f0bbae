#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "io/memory_storage.h"
#include "shard/shard_index.h"
#include "support/seal_sidecar.h"

namespace shardine {
namespace {

void ReadAll(Storage& storage) {
  const auto index = ShardIndex::Open(storage, "s");
  if (!index.ok()) return;
  std::vector<IndexEntry> entries;
  std::vector<std::string> keys;
  const std::uint64_t samples = (*index)->size();
  const bool read = (*index)->Entries(0, samples, entries).ok();
  if (read && entries.size() != samples) std::abort();
  const bool named = (*index)->Keys(0, samples, keys).ok();
  if (named && keys.size() != samples) std::abort();
  for (std::uint64_t record = 0; record < samples && record < 60; ++record) {
    const auto entry = (*index)->Entry(record);
    if (read && (!entry.ok() || *entry != entries[record])) std::abort();
  }
}

}  // namespace
}  // namespace shardine

// Most mutations break a CRC, so the bytes are also tried with CRCs that fit.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  using namespace shardine;
  std::string bytes(reinterpret_cast<const char*>(data), size);
  MemoryStorage storage;
  storage.Put("s", bytes);
  ReadAll(storage);
  SealSidecar(bytes);
  storage.Put("s", bytes);
  ReadAll(storage);
  return 0;
}
