// Names and texts on their way into the files of a card.
#ifndef SHARDINE_REPORT_CARD_TEXT_H_
#define SHARDINE_REPORT_CARD_TEXT_H_

#include <string>
#include <string_view>

namespace shardine {

// Any bytes as text: themselves if they are UTF-8, else with EscapeBytes().
std::string PublicText(std::string_view bytes);

// PublicText() as a scalar of YAML in double quotes, on one line. Characters
// that a reader of YAML refuses or folds are escaped.
std::string YamlText(std::string_view bytes);

// PageName() as plain text of Markdown, in a table as well.
std::string MarkdownText(std::string_view bytes);

// A text in a fence of Markdown that is longer than any in it.
std::string MarkdownFence(std::string_view text);

// A line as sha256sum writes it and reads it with -c. `name`: any bytes.
std::string ChecksumLine(std::string_view sha256, std::string_view name);

// A pattern of file names that this name alone fits.
std::string GlobOf(std::string_view name);

}  // namespace shardine

#endif  // SHARDINE_REPORT_CARD_TEXT_H_
