#include "source/class_text.h"

#include <map>
#include <utility>

#include "base/status_macros.h"
#include "source/name_file.h"

namespace shardine {

Status ApplyClassText(ReadableStorage& storage, const std::string& path,
                      ClassMap& classes) {
  std::map<std::string, std::string> texts;
  SHARDINE_RETURN_IF_ERROR(ForEachName(
      storage, path,
      {.wanted = {ClassColumn(), {.names = {"text", "description", "label"}}}},
      [&](const std::string& line, const LineError& error) {
        const std::size_t tab = line.find('\t');
        if (tab == std::string::npos) return error("no tab after the name");
        const bool is_new =
            texts.try_emplace(line.substr(0, tab), line.substr(tab + 1)).second;
        return is_new ? Status() : error("the name occurs twice");
      }));
  bool any = false;
  for (ClassInfo& info : classes) {
    const auto found = texts.find(info.name);
    if (found == texts.end()) continue;
    info.text = std::move(found->second);
    any = true;
  }
  if (any) return Status();
  return Status(Code::kInvalidArgument, "names none of the classes")
      .At({.path = path});
}

}  // namespace shardine
