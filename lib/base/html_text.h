// HtmlText: text that HTML and SVG show as it is.
#ifndef SHARDINE_BASE_HTML_TEXT_H_
#define SHARDINE_BASE_HTML_TEXT_H_

#include <string>
#include <string_view>

namespace shardine {

// Text as the content of an element, or as an attribute in quotes.
std::string HtmlText(std::string_view text);

}  // namespace shardine

#endif  // SHARDINE_BASE_HTML_TEXT_H_
