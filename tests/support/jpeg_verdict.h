// The verdict of libjpeg on a JPEG that it decodes with its default settings.
#ifndef SHARDINE_TESTS_SUPPORT_JPEG_VERDICT_H_
#define SHARDINE_TESTS_SUPPORT_JPEG_VERDICT_H_

#include <cstdint>
#include <string_view>

namespace shardine {

struct JpegVerdict {
  bool refused = false;  // an error: nothing else was found out
  long warnings = 0;
  std::uint32_t width = 0;
  std::uint32_t height = 0;
  std::uint32_t components = 0;
  bool ycc_or_gray = false;

  bool clean() const { return !refused && warnings == 0; }
};

// Reads up to the first row. REQUIRES: one scan, or little memory.
JpegVerdict HeaderByLibjpeg(std::string_view jpeg);
// Decodes the whole file. REQUIRES: its pixels fit into memory.
JpegVerdict VerdictByLibjpeg(std::string_view jpeg);

}  // namespace shardine

#endif  // SHARDINE_TESTS_SUPPORT_JPEG_VERDICT_H_
