// The manifest as a JSON text and back, without its closing digest. Layout:
// FORMAT.md.
#ifndef SHARDINE_DATASET_MANIFEST_JSON_H_
#define SHARDINE_DATASET_MANIFEST_JSON_H_

#include <string>
#include <string_view>

#include "dataset/manifest.h"
#include "shardine/status.h"

namespace shardine {

// Ends with "\n}".
std::string ManifestToJson(const Manifest& manifest);

// Takes any JSON that has exactly the members it should, in whatever order and
// spacing, and "xxh3_128", which it leaves to the caller. kCorrupt names the
// member that is wrong; kUnsupported for a newer schema.
Result<Manifest> ManifestFromJson(std::string_view text);

// The text that WriteManifest() writes. kInvalidArgument: no reader would
// accept it.
Result<std::string> ManifestText(const std::string& directory,
                                 const Manifest& manifest);

}  // namespace shardine

#endif  // SHARDINE_DATASET_MANIFEST_JSON_H_
