#include "remote/xml_reader.h"

#include <expat.h>

#include <memory>

#include "remote/secret.h"

namespace shardine {
namespace {

constexpr std::size_t kMaxDepth = 16;
constexpr std::size_t kMaxBytes = 64 << 20;

struct Walk {
  XML_Parser parser;
  const std::function<void(const XmlPath&, const std::string&)>& on_end;
  XmlPath path = {};
  std::vector<std::string> texts = {};

  static Walk& Of(void* self) { return *static_cast<Walk*>(self); }

  static void Begin(void* self, const XML_Char* name, const XML_Char**) {
    Walk& walk = Of(self);
    if (walk.path.size() == kMaxDepth) {
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
    Wipe(walk.texts.back());  // credentials are answered in XML, too
    walk.texts.pop_back();
  }
  static void DocumentType(void* self, const XML_Char*, const XML_Char*,
                           const XML_Char*, int) {
    XML_StopParser(Of(self).parser, XML_FALSE);
  }
};

}  // namespace

Status ReadXml(
    std::string_view xml,
    const std::function<void(const XmlPath&, const std::string&)>& on_end) {
  const Status failed(Code::kRemote, "an answer that is not the XML expected");
  if (xml.size() > kMaxBytes) return failed;
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
  return done == XML_STATUS_OK ? Status() : failed;
}

}  // namespace shardine
