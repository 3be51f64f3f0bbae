// Text as one word of a POSIX shell.
#ifndef SHARDINE_SHELL_QUOTED_H_
#define SHARDINE_SHELL_QUOTED_H_

#include <string>
#include <string_view>

namespace shardine {

// In single quotes, so that the shell takes every byte as it is: 'it'\''s'.
inline std::string ShellQuoted(std::string_view text) {
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? "'\\''" : std::string(1, c);
  return quoted + "'";
}

}  // namespace shardine

#endif  // SHARDINE_SHELL_QUOTED_H_
