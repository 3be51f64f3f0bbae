// The order in which Python sorts file names, and with it torchvision's
// ImageFolder: by code points of the name decoded as UTF-8 with
// `surrogateescape`. For valid UTF-8 this is byte order; a byte outside valid
// UTF-8 counts as U+DC80..U+DCFF, so it sorts before U+E000 and above.
#ifndef SHARDINE_SOURCE_NAME_ORDER_H_
#define SHARDINE_SOURCE_NAME_ORDER_H_

#include <string_view>

namespace shardine {

// Pure functions, independent of locale.
bool NameLess(std::string_view a, std::string_view b);

// For std::sort and std::map.
struct NameOrder {
  using is_transparent = void;
  bool operator()(std::string_view a, std::string_view b) const {
    return NameLess(a, b);
  }
};

// Orders keys as ImageFolder lists them: by class (the part before the first
// `/`, empty if there is none), then by whole directory, then by file name.
bool WalkLess(std::string_view a, std::string_view b);

}  // namespace shardine

#endif  // SHARDINE_SOURCE_NAME_ORDER_H_
