// A writer of LZF data, for tests of its readers. lzf_filter.h says how it is
// laid out.
#ifndef SHARDINE_TESTS_UNIT_HDF5_PROGRAM_LZF_WRITER_H_
#define SHARDINE_TESTS_UNIT_HDF5_PROGRAM_LZF_WRITER_H_

#include <algorithm>
#include <map>
#include <string>
#include <string_view>

namespace shardine {

inline constexpr std::size_t kLzfMostPlain = 32;
inline constexpr std::size_t kLzfLeastMatch = 3;
inline constexpr std::size_t kLzfMostMatch = 264;
inline constexpr std::size_t kLzfFarthest = 8192;

// REQUIRES: at most kLzfMostPlain bytes, and not none.
inline void AppendLzfPlain(std::string_view bytes, std::string& to) {
  to += static_cast<char>(bytes.size() - 1);
  to += bytes;
}

// REQUIRES: `length` and `back` within the bounds above.
inline void AppendLzfMatch(std::size_t length, std::size_t back,
                           std::string& to) {
  const std::size_t code = length - 2;
  const std::size_t far = back - 1;
  to += static_cast<char>(std::min<std::size_t>(code, 7) << 5 | far >> 8);
  if (code >= 7) to += static_cast<char>(code - 7);
  to += static_cast<char>(far & 255);
}

inline std::string LzfPack(std::string_view data) {
  std::string packed;
  std::size_t plain = 0;  // where bytes start that are not packed yet
  const auto put_plain = [&](std::size_t end) {
    for (; plain < end; plain += std::min(kLzfMostPlain, end - plain)) {
      AppendLzfPlain(data.substr(plain, std::min(kLzfMostPlain, end - plain)),
                     packed);
    }
  };
  std::map<std::string_view, std::size_t> seen;
  for (std::size_t at = 0; at < data.size();) {
    const std::string_view next = data.substr(at, kLzfLeastMatch);
    const auto known = seen.find(next);
    std::size_t length = 0;
    std::size_t back = 0;
    if (known != seen.end() && at - known->second <= kLzfFarthest) {
      back = at - known->second;
      while (length < kLzfMostMatch && at + length < data.size() &&
             data[at + length] == data[at + length - back]) {
        ++length;
      }
    }
    if (next.size() == kLzfLeastMatch) seen[next] = at;
    if (length < kLzfLeastMatch) {
      ++at;
      continue;
    }
    put_plain(at);
    AppendLzfMatch(length, back, packed);
    at += length;
    plain = at;
  }
  put_plain(data.size());
  return packed;
}

}  // namespace shardine

#endif  // SHARDINE_TESTS_UNIT_HDF5_PROGRAM_LZF_WRITER_H_
