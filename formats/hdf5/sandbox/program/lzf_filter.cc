#include "hdf5/sandbox/program/lzf_filter.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace shardine {
namespace {

// Where the filter's parameters do not say how large a chunk is.
constexpr std::size_t kFirstGuess = std::size_t{1} << 16;
constexpr std::size_t kMostExpanded = std::size_t{1} << 30;

std::size_t Filter(unsigned flags, std::size_t count, const unsigned values[],
                   std::size_t bytes, std::size_t* buffer_size, void** buffer) {
  if ((flags & H5Z_FLAG_REVERSE) == 0) return 0;
  std::size_t size = count >= 3 && values[2] != 0 ? values[2] : kFirstGuess;
  const std::span<const unsigned char> in(
      static_cast<const unsigned char*>(*buffer), bytes);
  for (; size <= kMostExpanded; size *= 2) {
    // A chunk that holds less than it should ends in zeros.
    auto* out = static_cast<unsigned char*>(std::calloc(size, 1));
    if (out == nullptr) return 0;
    const auto expanded = ExpandLzf(in, {out, size});
    if (!expanded) {
      std::free(out);
      continue;
    }
    std::free(*buffer);
    *buffer = out;
    *buffer_size = size;
    return *expanded;
  }
  return 0;
}

}  // namespace

std::optional<std::size_t> ExpandLzf(std::span<const unsigned char> in,
                                     std::span<unsigned char> out) {
  std::size_t at = 0;
  std::size_t made = 0;
  while (at < in.size()) {
    const unsigned control = in[at++];
    if (control < 32) {
      const std::size_t length = control + 1;
      if (in.size() - at < length || out.size() - made < length) return {};
      std::memcpy(&out[made], &in[at], length);
      at += length;
      made += length;
      continue;
    }
    std::size_t length = control >> 5;
    if (length == 7) {
      if (at == in.size()) return {};
      length += in[at++];
    }
    length += 2;
    if (at == in.size()) return {};
    const std::size_t back = ((control & 31) << 8 | in[at++]) + 1;
    if (back > made || out.size() - made < length) return {};
    // Source and target may overlap: new bytes are copied again.
    for (; length > 0; --length, ++made) out[made] = out[made - back];
  }
  return made;
}

bool RegisterLzfFilter() {
  static const H5Z_class2_t filter = {
      H5Z_CLASS_T_VERS, kLzfFilter, 0, 1, "lzf", nullptr, nullptr, Filter};
  return H5Zregister(&filter) >= 0;
}

}  // namespace shardine
