#include "report/card_text.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>

#include "base/utf8.h"
#include "report/page_text.h"
#include "shardine/escape.h"
#include "shardine/printable.h"

namespace shardine {
namespace {

// REQUIRES: a valid sequence of at most three bytes.
std::uint32_t CodePoint(std::string_view sequence) {
  std::uint32_t code = static_cast<std::uint8_t>(sequence[0]);
  if (sequence.size() > 1) code &= sequence.size() == 2 ? 0x1FU : 0x0FU;
  for (const char c : sequence.substr(1)) {
    code = code << 6 | (static_cast<std::uint8_t>(c) & 0x3FU);
  }
  return code;
}

// Characters that PyYAML does not take as they are, beside unprintable ones.
bool IsNoYaml(std::string_view sequence) {
  return sequence == "\uFEFF" || sequence == "\uFFFE" || sequence == "\uFFFF";
}

void AppendYaml(std::string_view sequence, std::string& yaml) {
  const bool is_hidden = UnprintableLength(sequence) > 0 || IsNoYaml(sequence);
  if (is_hidden) {
    char code[8];
    std::snprintf(code, sizeof(code), "\\u%04x", CodePoint(sequence));
    yaml += code;
    return;
  }
  if (sequence == "\"" || sequence == "\\") yaml += '\\';
  yaml += sequence;
}

}  // namespace

std::string PublicText(std::string_view bytes) {
  return IsUtf8(bytes) ? std::string(bytes) : EscapeBytes(bytes);
}

std::string YamlText(std::string_view bytes) {
  const std::string text = PublicText(bytes);
  std::string yaml = "\"";
  for (std::string_view rest = text; !rest.empty();) {
    const std::size_t length = Utf8Length(rest);
    AppendYaml(rest.substr(0, length), yaml);
    rest.remove_prefix(length);
  }
  return yaml + '"';
}

std::string MarkdownText(std::string_view bytes) {
  constexpr std::string_view kMarks = R"(!"#$%&'()*+-:;<=>?@[\]^_`{|}~)";
  std::string text;
  for (const char c : PageName(bytes)) {
    // A reader of Markdown takes a character in this form for itself.
    if (kMarks.find(c) != kMarks.npos) {
      text += "&#" + std::to_string(static_cast<int>(c)) + ';';
    } else {
      text += c;
    }
  }
  return text;
}

std::string MarkdownFence(std::string_view text) {
  std::size_t longest = 2;
  std::size_t run = 0;
  for (const char c : text) {
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  const std::string fence(longest + 1, '`');
  std::string block = fence + '\n' + PrintableText(text);
  if (!text.ends_with('\n')) block += '\n';
  return block + fence + '\n';
}

std::string ChecksumLine(std::string_view sha256, std::string_view name) {
  std::string escaped;
  for (const char c : name) {
    if (c == '\\') {
      escaped += "\\\\";
    } else if (c == '\n') {
      escaped += "\\n";
    } else if (c == '\r') {
      escaped += "\\r";
    } else {
      escaped += c;
    }
  }
  const bool is_escaped = escaped.size() != name.size();
  return (is_escaped ? "\\" : "") + std::string(sha256) + "  " + escaped + '\n';
}

std::string GlobOf(std::string_view name) {
  std::string glob;
  for (const char c : name) {
    const bool is_special = c == '*' || c == '?' || c == '[';
    glob += is_special ? "[" + std::string(1, c) + "]" : std::string(1, c);
  }
  return glob;
}

}  // namespace shardine
