// JPEGs of several scans without their last ones.
#ifndef SHARDINE_TESTS_SUPPORT_CUT_SCANS_H_
#define SHARDINE_TESTS_SUPPORT_CUT_SCANS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace shardine {

// Where the entropy-coded data of each scan end: at a marker that is neither a
// stuffed FF nor a restart. REQUIRES: a whole JPEG, no FF DA but its scans'.
inline std::vector<std::size_t> ScanEnds(std::string_view jpeg) {
  std::vector<std::size_t> ends;
  for (std::size_t at = jpeg.find("\xFF\xDA"); at != std::string_view::npos;
       at = jpeg.find("\xFF\xDA", at)) {
    for (at += 2; at + 1 < jpeg.size(); ++at) {
      const auto next = static_cast<std::uint8_t>(jpeg[at + 1]);
      const bool data = next == 0 || (next >= 0xD0 && next <= 0xD7);
      if (jpeg[at] == '\xFF' && !data) break;
    }
    ends.push_back(at);
  }
  return ends;
}

// The first `scans` of them, closed by an EOI.
inline std::string KeepScans(std::string_view jpeg, std::size_t scans) {
  const std::size_t end = ScanEnds(jpeg).at(scans - 1);
  return std::string(jpeg.substr(0, end)) + "\xFF\xD9";
}

}  // namespace shardine

#endif  // SHARDINE_TESTS_SUPPORT_CUT_SCANS_H_
