// XML that services answer.
#ifndef SHARDINE_REMOTE_XML_ANSWER_H_
#define SHARDINE_REMOTE_XML_ANSWER_H_

#include <functional>
#include <string>
#include <string_view>

#include "base/xml_reader.h"
#include "shardine/status.h"

namespace shardine {

// As ReadXml(), but kRemote where the answer is no such XML.
inline Status ReadXmlAnswer(
    std::string_view xml,
    const std::function<void(const XmlPath&, const std::string&)>& on_end) {
  if (ReadXml(xml, on_end).ok()) return Status();
  return Status(Code::kRemote, "an answer that is not the XML expected");
}

}  // namespace shardine

#endif  // SHARDINE_REMOTE_XML_ANSWER_H_
