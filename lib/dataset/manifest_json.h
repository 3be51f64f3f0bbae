// The manifest's JSON text, up to the line with its own digest. Layout:
// FORMAT.md.
#ifndef SHARDINE_DATASET_MANIFEST_JSON_H_
#define SHARDINE_DATASET_MANIFEST_JSON_H_

#include <string>
#include <string_view>

#include "dataset/manifest.h"
#include "shardine/status.h"

namespace shardine {

// From "{" to the ",\n" before the last member, "xxh3_128".
std::string PrintManifestMembers(const Manifest& manifest);

// Reads what PrintManifestMembers writes: that order, that spacing. kCorrupt
// with the byte where the text is another or the member that contradicts the
// rest; kUnsupported for a newer schema. Escapes may still be other than those
// that would be written.
Result<Manifest> ScanManifestMembers(std::string_view text);

}  // namespace shardine

#endif  // SHARDINE_DATASET_MANIFEST_JSON_H_
