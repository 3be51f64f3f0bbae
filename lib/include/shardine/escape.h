// Keys and paths are any bytes; text output stays text.
#ifndef SHARDINE_ESCAPE_H_
#define SHARDINE_ESCAPE_H_

#include <optional>
#include <string>
#include <string_view>

namespace shardine {

// Writes control bytes, `\` and bytes outside valid UTF-8 as \xHH (upper-case
// hex). The result is valid UTF-8 in one line.
std::string EscapeBytes(std::string_view bytes);

// The inverse. nullopt for a backslash that does not start \xHH.
std::optional<std::string> UnescapeBytes(std::string_view text);

}  // namespace shardine

#endif  // SHARDINE_ESCAPE_H_
