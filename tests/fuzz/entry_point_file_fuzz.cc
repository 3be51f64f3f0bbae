#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "io/memory_storage.h"
#include "shard/entry_point_file.h"
#include "support/entry_point_fixture.h"

namespace shardine {
namespace {

// Both ways of reading, which must agree where both succeed.
void ReadAll(Storage& storage) {
  const auto file = EntryPointFile::Open(storage, "s");
  if (!file.ok()) return;
  const std::uint64_t samples = (*file)->size();
  std::vector<StoredEntryPoints> all;
  const bool read = ReadPoints(**file, 0, samples, all).ok();
  if (read && all.size() != samples) std::abort();
  ByteBuffer packed;
  for (std::uint64_t record = 0; record < samples && record < 300; ++record) {
    if (!read) {
      (void)(*file)->Read(record, 0, packed);
      continue;
    }
    const StoredEntryPoints& stored = all[record];
    if (!(*file)->Read(record, stored.payload_crc, packed).ok()) std::abort();
    if (AsText(packed.view()) != stored.packed) std::abort();
    if ((*file)->Read(record, stored.payload_crc ^ 1, packed).ok()) {
      std::abort();
    }
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
  SealEntryPoints(bytes);
  storage.Put("s", bytes);
  ReadAll(storage);
  return 0;
}
