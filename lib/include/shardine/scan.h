// Scan: the contents of a folder tree, before anything is made of it.
#ifndef SHARDINE_SCAN_H_
#define SHARDINE_SCAN_H_

#include <cstdint>
#include <string>
#include <vector>

#include "shardine/image_check.h"
#include "shardine/job.h"
#include "shardine/status.h"

namespace shardine {

struct ScanOptions {
  std::string target;  // folder, or one file
  ImageCheckLevel check = ImageCheckLevel::kHeader;
  unsigned threads = 0;  // 0: this process's share. Never changes the result
};

// The number of files of one sort, and the first few of them.
struct ScanTally {
  static constexpr std::size_t kKeys = 5;

  std::string word;
  std::uint64_t count = 0;
  std::vector<std::string> keys;  // in the order of the walk, at most kKeys
};

// Sides in pixels; of an even number of images, the median is the lower one.
struct ScanSpread {
  std::uint32_t min = 0;
  std::uint32_t median = 0;
  std::uint32_t max = 0;
};

// All lists are in order of their words and have no empty tallies.
struct ScanResult {
  std::uint64_t files = 0;  // with a suffix of images
  std::uint64_t bytes = 0;
  std::uint64_t bad = 0;    // of them, with a problem
  std::uint64_t sized = 0;  // of them, with a width and height
  // "jpeg", "png", "gif", "html", ...: by content.
  std::vector<ScanTally> kinds;
  // Why a pack with this check would reject them: "bad-header",
  // "decode-warning", "dangling-link", ...
  std::vector<ScanTally> problems;
  // The codings of JPEGs: "baseline", "progressive", ...
  std::vector<ScanTally> codings;
  // The chroma samplings of JPEGs: "4:2:0", ...
  std::vector<ScanTally> chroma;
  // Worth knowing: JPEGs that are "gray" or "cmyk", "16-bit", "turned" (an EXIF
  // orientation other than upright), "icc", "restart-markers", "trailing-bytes"
  // (after the first end marker) and "other-suffix" (one that does not name
  // the kind).
  std::vector<ScanTally> traits;
  // Details that decoding would lose: gray of 16 bits.
  std::vector<std::string> warnings;
  // The files that were not looked at: "hidden", "not-an-image-suffix",
  // "link-loop".
  std::vector<ScanTally> ignored;
  // Files without a suffix of images, by the suffix in lower case; and how many
  // of them have the name of an image beside them, but for the suffix.
  std::vector<ScanTally> others;
  std::vector<ScanTally> neighbours;
  ScanSpread width;
  ScanSpread height;
  ScanSpread short_side;
};

// Looks at all files that a pack of the tree would take for images, whatever
// folder they are in. A problem of a file is no failure. kNotFound: there is no
// target. kInvalidArgument: a folder without images. kChanged: a file changed
// its size, or went, since it was listed.
Result<ScanResult> Scan(const ScanOptions& options, const Job& job = {});

}  // namespace shardine

#endif  // SHARDINE_SCAN_H_
