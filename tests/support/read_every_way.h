// Small datasets in memory, and all readers of their side files: shared by
// tests and fuzzers of forged sidecars, entry points and manifests.
#ifndef SHARDINE_TESTS_SUPPORT_READ_EVERY_WAY_H_
#define SHARDINE_TESTS_SUPPORT_READ_EVERY_WAY_H_

#include <string>
#include <vector>

#include "shardine/status.h"
#include "support/side_file_numbers.h"

namespace shardine {

// A dataset in the folder "out".
struct SideFileWorld {
  Files files;
  std::vector<std::string> fields;  // that a loader is asked for
  std::string convert_to;           // format

  std::string sidecar;       // path of one
  std::string entry_points;  // empty: there are none
};

// Photos in RecordIO, with entry points: rows without overflow.
SideFileWorld MakePhotos();
// WebDataset, indexed in place: images with arrays and texts beside them.
SideFileWorld MakeFields();
// Pixels as arrays, by a sidecar alone: loader and writers of arrays read it.
SideFileWorld MakeArrays();

enum class Reading {
  kPixels,   // a loader with random crops, of two epochs
  kFields,   // one with fields
  kRect,     // one in the order of ratios
  kDataset,  // sample by sample, and as `cat` does, by key
  kVerify,
  kConvert,
  kReindex,
};
inline constexpr Reading kReadings[] = {
    Reading::kPixels, Reading::kFields,  Reading::kRect,   Reading::kDataset,
    Reading::kVerify, Reading::kConvert, Reading::kReindex};
const char* NameOf(Reading reading);

struct Outcome {
  Status status;
  std::string result;  // a digest of all that came out; of kVerify findings

  // For kVerify: damage was found, or it could not be looked for.
  bool found_damage() const { return !status.ok() || !result.empty(); }
};

// Reads in a storage of its own.
Outcome Read(Reading reading, const SideFileWorld& world);

}  // namespace shardine

#endif  // SHARDINE_TESTS_SUPPORT_READ_EVERY_WAY_H_
