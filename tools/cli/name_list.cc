#include "cli/name_list.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "shardine/escape.h"

namespace shardine {

Result<std::vector<std::string>> ParseNameList(const std::string& text) {
  const auto wrong = [&](const char* why) {
    return Status(Code::kInvalidArgument,
                  "\"" + EscapeBytes(text) + "\" " + why);
  };
  std::vector<std::string> names;
  for (std::size_t next = 0; next <= text.size();) {
    const std::size_t end = std::min(text.find(',', next), text.size());
    std::optional<std::string> name =
        UnescapeBytes(text.substr(next, end - next));
    if (!name) return wrong("has a \\ that is not \\xHH");
    if (name->empty()) return wrong("has an empty name");
    if (std::ranges::find(names, *name) != names.end()) {
      return wrong("has a name twice");
    }
    names.push_back(*std::move(name));
    next = end + 1;
  }
  return names;
}

}  // namespace shardine
