// XML as services answer it: elements and their text.
#ifndef SHARDINE_REMOTE_XML_READER_H_
#define SHARDINE_REMOTE_XML_READER_H_

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "shardine/status.h"

namespace shardine {

// Names from the root to the element, without their namespaces.
using XmlPath = std::vector<std::string>;

// Calls `on_end` at the end of each element, with the text that stood in it
// itself. kRemote: no well-formed XML, more than 16 elements deep, or with a
// document type, which no such answer has and which brings entities.
Status ReadXml(
    std::string_view xml,
    const std::function<void(const XmlPath&, const std::string&)>& on_end);

}  // namespace shardine

#endif  // SHARDINE_REMOTE_XML_READER_H_
