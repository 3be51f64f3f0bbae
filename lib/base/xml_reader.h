// XML of elements and their text: answers of services, files of annotations.
#ifndef SHARDINE_BASE_XML_READER_H_
#define SHARDINE_BASE_XML_READER_H_

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "shardine/status.h"

namespace shardine {

// Names from the root to the element, without their namespaces.
using XmlPath = std::vector<std::string>;

// Calls `on_end` at the end of each element, with the text that stood in it
// itself. kCorrupt, with the byte: no well-formed XML, more than 64 MiB or 16
// elements deep, or with a document type, which brings entities. The memory of
// the texts is wiped.
Status ReadXml(
    std::string_view xml,
    const std::function<void(const XmlPath&, const std::string&)>& on_end);

}  // namespace shardine

#endif  // SHARDINE_BASE_XML_READER_H_
