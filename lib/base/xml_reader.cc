#include "base/xml_reader.h"

#include <expat.h>

#include <cstring>
#include <memory>
#include <utility>

namespace shardine {
namespace {

constexpr std::size_t kMaxDepth = 16;
constexpr std::size_t kMaxBytes = 64 << 20;

struct Walk {
  XML_Parser parser;
  const std::function<void(const XmlPath&, const std::string&)>& on_end;
  XmlPath path = {};
  std::vector<std::string> texts = {};
  const char* fault = nullptr;  // of ours

  static Walk& Of(void* self) { return *static_cast<Walk*>(self); }

  static void Begin(void* self, const XML_Char* name, const XML_Char**) {
    Walk& walk = Of(self);
    if (walk.path.size() == kMaxDepth) {
      walk.fault = "elements are more than 16 deep";
      XML_StopParser(walk.parser, XML_FALSE);
      return;
    }
    const std::string_view whole = name;
    const std::size_t prefix = whole.find(':');
    walk.path.emplace_back(prefix == whole.npos ? whole
                                                : whole.substr(prefix + 1));
    walk.texts.emplace_back();
  }
  static void Text(void* self, const XML_Char* text, int size) {
    Walk& walk = Of(self);
    walk.texts.back().append(text, static_cast<std::size_t>(size));
  }
  static void End(void* self, const XML_Char*) {
    Walk& walk = Of(self);
    walk.on_end(walk.path, walk.texts.back());
    walk.path.pop_back();
    // Credentials are answered in XML, too.
    explicit_bzero(walk.texts.back().data(), walk.texts.back().size());
    walk.texts.pop_back();
  }
  static void DocumentType(void* self, const XML_Char*, const XML_Char*,
                           const XML_Char*, int) {
    Of(self).fault = "a document type, which no such file needs";
    XML_StopParser(Of(self).parser, XML_FALSE);
  }
};

}  // namespace

Status ReadXml(
    std::string_view xml,
    const std::function<void(const XmlPath&, const std::string&)>& on_end) {
  if (xml.size() > kMaxBytes) {
    return Status(Code::kCorrupt, "XML of more than 64 MiB");
  }
  const std::unique_ptr<XML_ParserStruct, decltype(&XML_ParserFree)> parser(
      XML_ParserCreate(nullptr), &XML_ParserFree);
  if (parser == nullptr) return Status(Code::kFailed, "out of memory");
  Walk walk{.parser = parser.get(), .on_end = on_end};
  XML_SetUserData(parser.get(), &walk);
  XML_SetElementHandler(parser.get(), &Walk::Begin, &Walk::End);
  XML_SetCharacterDataHandler(parser.get(), &Walk::Text);
  XML_SetStartDoctypeDeclHandler(parser.get(), &Walk::DocumentType);
  const XML_Status done = XML_Parse(parser.get(), xml.data(),
                                    static_cast<int>(xml.size()), XML_TRUE);
  if (done == XML_STATUS_OK) return Status();
  const std::string fault =
      walk.fault != nullptr ? walk.fault
                            : XML_ErrorString(XML_GetErrorCode(parser.get()));
  const XML_Index byte = XML_GetCurrentByteIndex(parser.get());
  return Status(Code::kCorrupt, "XML: " + fault)
      .At({.offset = byte < 0 ? 0 : static_cast<std::uint64_t>(byte)});
}

}  // namespace shardine
