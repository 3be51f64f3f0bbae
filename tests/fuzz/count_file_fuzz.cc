// Files beside shards that say how many samples these hold: any bytes.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "shard/format_registry.h"
#include "shardine/format.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const shardine::Format* format : shardine::BuiltinFormats().formats()) {
    for (const shardine::CountFile& file : format->count_files) {
      (void)file.read(text);
    }
  }
  return 0;
}
