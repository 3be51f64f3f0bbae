#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "base/checksum.h"
#include "dataset/manifest.h"

// Most mutations break the closing digest, so the text is also tried with a
// digest that fits.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  using namespace shardine;
  const std::string text(reinterpret_cast<const char*>(data), size);
  const std::size_t last = text.rfind(" \"xxh3_128\": \"");
  const std::string before = text.substr(0, last);
  const std::string sealed = before + " \"xxh3_128\": \"" +
                             Xxh3_128(AsBytes(before)).ToHex() + "\"\n}\n";
  for (const std::string& candidate : {text, sealed}) {
    const auto manifest = ParseManifest(candidate);
    if (manifest.ok() && SerializeManifest(*manifest) != candidate) {
      std::abort();
    }
  }
  return 0;
}
