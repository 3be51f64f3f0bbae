#include "shardine/file_pattern.h"

#include <glob.h>
#include <sys/stat.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string_view>

#include "base/status_macros.h"
#include "io/path_scheme.h"

namespace shardine {
namespace {

constexpr std::size_t kMostFiles = 1'000'000;
constexpr std::ptrdiff_t kMostBraces = 32;

bool Exists(const std::string& path) {
  struct stat info {};
  return stat(path.c_str(), &info) == 0;
}

// The number in the text, at most 2^32 - 1; nullopt: the text is none.
std::optional<std::uint32_t> NumberOf(std::string_view text) {
  std::uint32_t number = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || error != std::errc() || end != text.data() + text.size())
    return std::nullopt;
  return number;
}

Status TooMany(const std::string& pattern) {
  return Status(Code::kInvalidArgument, "stands for more than a million files")
      .At({.path = pattern});
}

// The choices between braces; empty: the text is no list and no range.
Result<std::vector<std::string>> ChoicesOf(std::string_view inside,
                                           const std::string& pattern) {
  std::vector<std::string> choices;
  const std::size_t dots = inside.find("..");
  if (dots == inside.npos) {
    if (inside.find(',') == inside.npos) return choices;
    for (std::size_t from = 0; from <= inside.size();) {
      const std::size_t comma = std::min(inside.find(',', from), inside.size());
      choices.emplace_back(inside.substr(from, comma - from));
      from = comma + 1;
    }
    return choices;
  }
  const auto first = NumberOf(inside.substr(0, dots));
  const auto last = NumberOf(inside.substr(dots + 2));
  if (!first || !last || *first > *last) return choices;
  if (*last - *first >= kMostFiles) return TooMany(pattern);
  for (std::uint64_t number = *first; number <= *last; ++number) {
    const std::string digits = std::to_string(number);
    choices.push_back(
        std::string(dots > digits.size() ? dots - digits.size() : 0, '0') +
        digits);
  }
  return choices;
}

// Expands the first braces that are a list or a range, and then those behind.
Status ExpandBraces(const std::string& done, std::string_view rest,
                    const std::string& pattern,
                    std::vector<std::string>& texts) {
  const std::size_t open = rest.find('{');
  const std::size_t close = rest.find('}', open == rest.npos ? 0 : open);
  if (open == rest.npos || close == rest.npos) {
    if (texts.size() >= kMostFiles) return TooMany(pattern);
    texts.push_back(done + std::string(rest));
    return Status();
  }
  SHARDINE_ASSIGN_OR_RETURN(
      std::vector<std::string> choices,
      ChoicesOf(rest.substr(open + 1, close - open - 1), pattern));
  if (choices.empty()) {
    choices.emplace_back(rest.substr(open, close + 1 - open));
  }
  const std::string before = done + std::string(rest.substr(0, open));
  for (const std::string& choice : choices) {
    SHARDINE_RETURN_IF_ERROR(
        ExpandBraces(before + choice, rest.substr(close + 1), pattern, texts));
  }
  return Status();
}

void AddMatches(const std::string& path, std::vector<std::string>& files) {
  glob_t found{};
  const bool is_pattern = SchemeOf(path).empty() &&
                          path.find_first_of("*?[") != path.npos &&
                          !Exists(path);
  if (is_pattern && glob(path.c_str(), 0, nullptr, &found) == 0) {
    files.insert(files.end(), found.gl_pathv, found.gl_pathv + found.gl_pathc);
  } else {
    files.push_back(path);
  }
  globfree(&found);
}

}  // namespace

Result<std::vector<std::string>> ExpandPattern(const std::string& pattern) {
  if (pattern.find_first_of("*?[{") == pattern.npos || Exists(pattern)) {
    return std::vector<std::string>{pattern};
  }
  if (std::ranges::count(pattern, '{') > kMostBraces) return TooMany(pattern);
  std::vector<std::string> texts;
  SHARDINE_RETURN_IF_ERROR(ExpandBraces("", pattern, pattern, texts));
  std::vector<std::string> files;
  for (const std::string& text : texts) AddMatches(text, files);
  return files;
}

}  // namespace shardine
