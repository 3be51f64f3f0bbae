#include "base/shown_name.h"

#include <algorithm>

#include "base/utf8.h"
#include "shardine/escape.h"
#include "shardine/printable.h"

namespace shardine {
namespace {

constexpr std::string_view kDots = "...";
constexpr std::size_t kMaxMessage = std::size_t{8} << 10;

// At most `most` bytes, without a part of a character at the end.
std::string_view CutAt(std::string_view text, std::size_t most) {
  if (text.size() <= most) return text;
  std::size_t end = most;
  while (end > 0 && most - end < 4 && ContinuesCharacter(text[end])) --end;
  return text.substr(0, end);
}

// Does an escape, \xHH, begin in the last bytes and reach beyond them?
std::string_view WithoutHalfEscape(std::string_view text) {
  const std::size_t tail = text.size() - std::min<std::size_t>(text.size(), 3);
  const std::size_t begin = text.find('\\', tail);
  return begin == text.npos ? text : text.substr(0, begin);
}

bool FitsMark(std::string_view quoted) {
  return quoted.size() <= kMaxShownName ||
         (quoted.size() <= kMaxShownName + kDots.size() &&
          quoted.ends_with(kDots));
}

}  // namespace

std::string ShowName(std::string_view name) {
  const std::string_view head = CutAt(name, kMaxShownName);
  const std::string escaped = EscapeBytes(head);
  std::string text("\"");
  if (escaped.size() > kMaxShownName) {
    text += WithoutHalfEscape(CutAt(escaped, kMaxShownName));
  } else {
    text += escaped;
  }
  if (head.size() < name.size() || escaped.size() > kMaxShownName) {
    text += kDots;
  }
  return text + '"';
}

std::string ShortenNames(std::string_view message) {
  std::string text;
  while (!message.empty()) {
    const std::size_t open = std::min(message.find('"'), message.size());
    text += message.substr(0, std::min(open + 1, message.size()));
    message.remove_prefix(std::min(open + 1, message.size()));
    const std::size_t close = std::min(message.find('"'), message.size());
    const std::string_view quoted = message.substr(0, close);
    if (FitsMark(quoted)) {
      text += quoted;
    } else {
      text += CutAt(quoted, kMaxShownName);
      text += kDots;
    }
    if (close < message.size()) text += '"';
    message.remove_prefix(std::min(close + 1, message.size()));
    if (text.size() > kMaxMessage) {
      text.resize(CutAt(text, kMaxMessage).size());
      return text + std::string(kDots);
    }
  }
  return text;
}

}  // namespace shardine
