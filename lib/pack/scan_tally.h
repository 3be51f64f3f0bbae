// From looks at single files to the counts of a scan.
#ifndef SHARDINE_PACK_SCAN_TALLY_H_
#define SHARDINE_PACK_SCAN_TALLY_H_

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "image/deep_image.h"
#include "image/probe.h"
#include "shardine/scan.h"

namespace shardine {

// The facts of one file.
struct FileLook {
  ImageFacts facts;
  ChromaSampling chroma = ChromaSampling::kNone;
  bool read = false;  // else only `problem` is known
  bool icc = false;
  bool restarts = false;
  bool trailing = false;
  std::string problem;  // empty: none
};

// True if the suffix is one for that kind of image, or the kind is no image
// kind.
bool SuffixNames(std::string_view name, ImageKind kind);

// Thread-compatible.
class ScanTallies {
 public:
  // In the order that keys are to have.
  void Add(std::string_view key, std::uint64_t bytes, const FileLook& look);
  void AddIgnored(std::string_view key, const std::string& reason) {
    Count(ignored_, reason, key);
  }

  // A file without a suffix of images.
  void AddOther(std::string_view key, std::string_view suffix, bool is_beside) {
    Count(others_, std::string(suffix), key);
    if (is_beside) Count(neighbours_, std::string(suffix), key);
  }

  ScanResult Finish() const;

 private:
  using Tallies = std::map<std::string, ScanTally, std::less<>>;
  using Histogram = std::map<std::uint32_t, std::uint64_t>;

  static void Count(Tallies& tallies, const std::string& word,
                    std::string_view key);
  void CountTraits(std::string_view key, const FileLook& look);

  std::uint64_t files_ = 0;
  std::uint64_t bytes_ = 0;
  std::uint64_t bad_ = 0;
  std::uint64_t sized_ = 0;
  Tallies kinds_;
  Tallies problems_;
  Tallies codings_;
  Tallies chroma_;
  Tallies traits_;
  Tallies ignored_;
  Tallies others_;
  Tallies neighbours_;
  DeepImageCount deep_images_;
  Histogram widths_;
  Histogram heights_;
  Histogram short_sides_;
};

}  // namespace shardine

#endif  // SHARDINE_PACK_SCAN_TALLY_H_
