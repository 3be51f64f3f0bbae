// Names in messages. They come from untrusted files, and may have any length
// and any bytes.
#ifndef SHARDINE_BASE_SHOWN_NAME_H_
#define SHARDINE_BASE_SHOWN_NAME_H_

#include <cstddef>
#include <string>
#include <string_view>

namespace shardine {

// The bound of a name in a message, bytes as shown.
inline constexpr std::size_t kMaxShownName = 200;

// The name in quotes, escaped as EscapeBytes() does. Beyond the bound it is cut
// between characters, and three dots follow.
std::string ShowName(std::string_view name);

// A message as it leaves the process: each quoted text is cut in the same way,
// for every author of a message, and all of it after 8 KiB.
std::string ShortenNames(std::string_view message);

}  // namespace shardine

#endif  // SHARDINE_BASE_SHOWN_NAME_H_
