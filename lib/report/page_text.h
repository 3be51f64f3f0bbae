// Names and texts on their way into a page. Keys and class names come from
// untrusted files: each way into the page has one function here.
#ifndef SHARDINE_REPORT_PAGE_TEXT_H_
#define SHARDINE_REPORT_PAGE_TEXT_H_

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "base/bytes.h"

namespace shardine {

inline constexpr std::size_t kMostNameBytes = 200;

// Any bytes as readable text: control characters, overrides of the reading
// direction and bytes outside UTF-8 become \xHH. A longer text is cut between
// characters, and an ellipsis follows.
std::string PageName(std::string_view bytes, std::size_t most = kMostNameBytes);

// A value as the content of a script element: `<` is \u003c.
std::string JsonInPage(const nlohmann::json& value);

// RFC 4648, section 4, with padding.
std::string Base64(ByteView bytes);

}  // namespace shardine

#endif  // SHARDINE_REPORT_PAGE_TEXT_H_
